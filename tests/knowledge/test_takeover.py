"""Several processes on one store: what one leaves, another goes on with, and who comes too late changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.errors import StorageError
from knowgate.knowledge.ingest import Progress
from knowgate.store.port import Batch, DocumentWrite, Record

PATIENCE = 120


def asleep_while_reading(engine: Engine, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]) -> None:
    """The first file that it reads takes so long that others hold it for dead."""
    monkeypatch.setattr("knowgate.knowledge.leases._BEAT_SECONDS", 3600)
    ingest = engine.rooms.ingest
    real = ingest._reading

    def sleepy(*arguments: object, **options: object) -> DocumentWrite | None:
        read = real(*arguments, **options)  # type: ignore[arg-type]
        ingest._reading = real
        dead = Record("holder", engine.rooms.leases.holder, {"until": 0})
        engine.store.apply(Batch(records=[dead]))
        meanwhile()
        return read

    ingest._reading = sleepy  # type: ignore[assignment]


def without_leases(engine: Engine) -> bool:
    """They go with a heartbeat."""
    deadline = time.monotonic() + PATIENCE
    while engine.store.scan_records("lease") and time.monotonic() < deadline:
        time.sleep(0.01)
    return not engine.store.scan_records("lease")


def test_who_wakes_up_when_the_task_is_done_leaves_it_so(
    open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    late, other = open_engine(), open_engine()
    task = late.submit(text="# A\n\nThe owl hoots.\n", filename="a.md")

    def records() -> list[Record]:
        return [*other.store.scan_records("task"), *other.store.scan_records("task_file")]

    finished: list[Record] = []

    def take_over() -> None:
        assert other.run(task.id).status == "completed"
        finished.extend(records())

    asleep_while_reading(late, monkeypatch, take_over)
    assert late.run(task.id).completed == 1
    assert records() == finished


def test_who_lost_only_the_file_reads_it_again(
    open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    late, other = open_engine(), open_engine()
    task = late.submit(text="# A\n\nThe owl hoots.\n", filename="a.md")
    asleep_while_reading(late, monkeypatch, lambda: other.ingest(text="# A\n\nThe cat purrs.\n", filename="a.md"))
    assert late.run(task.id).completed == 1
    assert [chunk.text for chunk in other.passages(other.document("a.md"))] == ["A\n\nThe owl hoots."]


@pytest.mark.parametrize("when", ["reading", "writing"])
def test_a_store_that_was_away_leaves_no_lease(
    open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr("knowgate.knowledge.leases._BEAT_SECONDS", 0.01)
    first, second = open_engine(), open_engine()
    task = first.submit(text="# A\n\nThe owl hoots.\n", filename="a.md")
    apply = first.store.apply

    def away(*_: object, **__: object) -> None:
        raise StorageError("store_busy", "Another program kept the database locked.")

    with monkeypatch.context() as broken:
        if when == "reading":
            broken.setattr(first.rooms.ingest, "_reading", away)
        else:
            broken.setattr(first.store, "apply", lambda batch: away() if batch.documents else apply(batch))
        with pytest.raises(StorageError):
            first.run(task.id)
    assert without_leases(second)
    assert second.run(task.id).completed == 1


def test_files_that_were_read_ahead_in_vain_are_given_back(
    docs: Path, open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.stage == "reading" and progress.done == 1:
            raise Stop

    monkeypatch.setattr("knowgate.knowledge.leases._BEAT_SECONDS", 0.01)
    for number in range(30):
        (docs / f"{number}.txt").write_text(f"Number {number}.", encoding="utf-8")
    first, second = open_engine(), open_engine()
    task = first.submit([docs])
    with pytest.raises(Stop):
        first.run(task.id, stop)
    assert without_leases(second)
    assert second.run(task.id).completed == 32

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowgate.errors import ConflictError, StorageError
from knowgate.knowledge.leases import Leases, process_exists
from knowgate.store.port import Batch, Record
from knowgate.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


def test_one_holder_at_a_time(store: SqliteStore) -> None:
    first, second = Leases(store), Leases(store)
    lease = first.take("a")
    assert lease
    assert not first.take("a")
    assert not second.take("a")
    assert second.take("b")
    first.release(lease)
    assert second.take("a")
    first.close()
    second.close()


@pytest.mark.usefixtures("no_beat")
def test_a_lease_that_is_left_can_be_taken_again_by_its_process_only(store: SqliteStore) -> None:
    first, second = Leases(store), Leases(store)
    lease = first.take("a")
    assert lease and first.held("a")
    first.leave(lease)
    assert not first.held("a")
    assert second.held("a")
    assert not second.take("a")
    assert first.take("a")
    first.close()
    second.close()


def test_a_closed_holder_gives_up_its_leases(store: SqliteStore) -> None:
    first, second = Leases(store), Leases(store)
    assert first.take("a")
    first.close()
    assert second.take("a")
    second.close()


@pytest.fixture
def no_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody gives a sign of life again, however long the test takes."""
    monkeypatch.setattr("knowgate.knowledge.leases._BEAT_SECONDS", 3600)


@pytest.mark.usefixtures("no_beat")
def test_a_holder_unheard_of_is_dead(store: SqliteStore) -> None:
    first, second = Leases(store), Leases(store)
    assert first.take("a")
    store.apply(Batch(records=[Record("holder", first.holder, {"until": 0})]))
    assert second.take("a")
    first.close()
    second.close()


def test_a_killed_process_loses_its_leases_at_once(store: SqliteStore, tmp_path: Path) -> None:
    script = (
        "import os, pathlib, signal, sys\n"
        "from knowgate.knowledge.leases import Leases\n"
        "from knowgate.store.sqlite.store import SqliteStore\n"
        "assert Leases(SqliteStore(pathlib.Path(sys.argv[1]))).take('a')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    if sys.platform == "win32":
        pytest.skip("processes are not asked after on Windows")
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert store.record("lease", "a") is not None
    leases = Leases(store)
    assert leases.take("a")
    leases.close()


def test_this_process_exists() -> None:
    import os

    assert process_exists(os.getpid())


@pytest.mark.usefixtures("no_beat")
def test_a_lease_taken_over_is_not_given_back_by_its_old_holder(store: SqliteStore) -> None:
    first, second = Leases(store), Leases(store)
    lease = first.take("a")
    assert lease
    store.apply(Batch(records=[Record("holder", first.holder, {"until": 0})]))
    assert second.take("a")
    first.release(lease)
    assert store.record("lease", "a") is not None
    with pytest.raises(ConflictError):
        store.apply(Batch(holds=[lease], delete=["x"]))
    first.close()
    second.close()


def test_a_failing_store_does_not_keep_the_lease_from_us(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    leases = Leases(store)

    def fail(*_: object) -> None:
        raise StorageError("disk_full", "The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr(store, "put_if", fail)
        with pytest.raises(StorageError):
            leases.take("a")
    assert leases.take("a")
    leases.close()


def test_a_lease_that_could_not_be_given_back_goes_with_a_heartbeat(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowgate.knowledge.leases._BEAT_SECONDS", 0.01)
    first, second = Leases(store), Leases(store)
    lease, kept = first.take("a"), first.take("b")
    assert lease and kept
    apply = store.apply

    def fail(batch: Batch) -> None:
        if batch.drop:
            raise StorageError("disk_full", "The disk is full.")
        apply(batch)

    with monkeypatch.context() as broken:
        broken.setattr(store, "apply", fail)
        first.release(lease)
        first.release(kept)
        assert not second.take("a")
        kept = first.take("b")
    deadline = time.monotonic() + 120
    while not (taken := second.take("a")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert taken
    # What was taken anew before is still held.
    store.apply(Batch(holds=[kept] if kept else []))
    assert kept and not second.take("b")
    first.close()
    second.close()


def test_records_of_the_long_dead_are_swept(store: SqliteStore) -> None:
    store.apply(Batch(records=[Record("holder", "gone:1:x", {"until": 0})]))
    leases = Leases(store)
    assert leases.take("a")
    assert [record.id for record in store.scan_records("holder")] == [leases.holder]
    leases.close()


class Clock:
    """The one that only goes forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("knowgate.knowledge.leases.time.monotonic", lambda: self.now)


@pytest.fixture
def abroad(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Leases, Clock]]:
    """A holder on another machine has a lease, and we look on with a clock of our own."""
    leases = Leases(store)
    store.apply(Batch(records=[Record("lease", "a", {"holder": "there:1:x"})]))
    beat(store, 15)
    yield leases, Clock(monkeypatch)
    leases.close()


def beat(store: SqliteStore, seconds: float) -> None:
    store.apply(Batch(records=[Record("holder", "there:1:x", {"until": time.time() + seconds})]))


def test_a_machine_whose_clock_is_behind_is_not_dead(store: SqliteStore, abroad: tuple[Leases, Clock]) -> None:
    leases, clock = abroad
    for number in range(10):
        beat(store, 4 * number - 120)
        assert leases.held("a")
        assert not leases.take("a")
        clock.now += 4


def test_a_machine_that_gives_no_sign_is_dead_whatever_its_clock_says(
    store: SqliteStore, abroad: tuple[Leases, Clock]
) -> None:
    leases, clock = abroad
    beat(store, 3600)
    for _ in range(4):
        assert not leases.take("a")
        clock.now += 4
    assert leases.take("a")


def test_who_could_not_look_for_a_while_looks_anew(abroad: tuple[Leases, Clock]) -> None:
    leases, clock = abroad
    assert not leases.take("a")
    clock.now += 60
    assert not leases.take("a")
    clock.now += 15
    assert leases.take("a")

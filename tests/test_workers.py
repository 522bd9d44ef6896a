from __future__ import annotations

import threading

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.knowledge.ingest import Progress
from knowgate.workers import Workers


def test_a_task_is_taken_up_when_it_is_submitted(engine: Engine, docs, monkeypatch):
    monkeypatch.setattr("knowgate.workers._LOOK_SECONDS", 3600)
    workers = Workers(engine, lambda _: None, 2)
    workers.start()
    tasks = [engine.submit([docs / name]) for name in ("refunds.md", "guides")]
    assert [engine.wait(task.id, 60).status for task in tasks] == ["completed", "completed"]
    workers.stop()
    assert engine.stats().documents == 2


def test_a_stop_parks_the_task_and_the_next_start_finishes_it(engine: Engine, docs, monkeypatch):
    for n in range(50):
        (docs / f"{n}.md").write_text(f"# Number {n}\n\nThe number is {n}.\n")
    workers = Workers(engine, lambda _: None)
    read, go_on = threading.Event(), workers._report

    def report(progress: Progress) -> None:
        read.set()
        # However late the stop comes, it comes in the middle.
        workers._stopping.wait(60)
        go_on(progress)

    monkeypatch.setattr(workers, "_report", report)
    workers.start()
    task = engine.submit([docs])
    assert read.wait(60)
    workers.stop()
    for thread in workers._threads:
        thread.join()
    assert not engine.task(task.id).finished
    again = Workers(engine, lambda _: None)
    again.start()
    assert engine.wait(task.id, 120).status == "completed"
    again.stop()
    assert engine.stats().documents == 52


def test_workers_give_vectors_to_what_was_imported_without(engine: Engine, docs, tmp_path, open_engine):
    engine.ingest([docs])
    engine.export(tmp_path / "docs.knowgate.zip", vectors=False)
    with Engine(Settings(data=tmp_path / "other")) as other:
        other.import_(tmp_path / "docs.knowgate.zip")
        assert other.stats().pending == 2
        notices: list[str] = []
        workers = Workers(other, notices.append)
        workers.start()
        pause = threading.Event()
        while other.stats().pending:
            pause.wait(0.02)
        workers.stop()
        assert other.stats().vectors == 2
        assert notices == []


def test_what_goes_wrong_is_told_once(docs, open_engine):
    open_engine().ingest([docs / "refunds.md"])
    elsewhere = {"provider": "ollama", "model": "m", "dimension": 8, "base_url": "http://127.0.0.1:9"}
    engine: Engine = open_engine(embedder=elsewhere)
    engine.submit([docs])
    notices: list[str] = []
    workers = Workers(engine, notices.append)
    workers._do()
    workers._do()
    [notice] = notices
    assert "`knowgate reembed`" in notice
    assert engine.search("courier").hits[0].document.name == "guides/parcels.md"


def test_a_defect_does_not_end_the_workers(engine: Engine, docs, monkeypatch):
    def broken() -> None:
        raise RuntimeError("the wheels came off")

    notices: list[str] = []
    told, done = threading.Event(), threading.Event()

    def notice(text: str) -> None:
        notices.append(text)
        told.set()

    monkeypatch.setattr("knowgate.workers._LOOK_SECONDS", 0.01)
    monkeypatch.setattr(engine, "interrupted", broken)
    workers = Workers(engine, notice)
    workers.start()
    assert told.wait(30)
    monkeypatch.setattr(engine, "interrupted", lambda: done.set() or [])
    assert done.wait(30)
    workers.stop()
    assert notices == ["RuntimeError: the wheels came off"]


def test_work_that_takes_long_is_left_behind(engine: Engine, monkeypatch):
    begun, over = threading.Event(), threading.Event()
    notices: list[str] = []

    def wait_long() -> None:
        begun.set()
        over.wait()
        raise RuntimeError("closed meanwhile")

    monkeypatch.setattr("knowgate.workers._STOP_SECONDS", 0.01)
    monkeypatch.setattr(engine, "interrupted", wait_long)
    workers = Workers(engine, notices.append)
    workers.start()
    begun.wait()
    workers.stop()
    [thread] = workers._threads
    assert thread.is_alive()
    over.set()
    thread.join()
    assert notices == []

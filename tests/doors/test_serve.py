from __future__ import annotations

import threading

import pytest

from knowgate import Engine
from knowgate.doors.serve import Chores, address, listen
from knowgate.errors import InputError


def test_any_free_port():
    with listen("localhost", 0) as one, listen("127.0.0.1", 0) as other:
        assert address(one) != address(other)
        assert address(other).startswith("http://127.0.0.1:")


def test_a_taken_port():
    with listen("127.0.0.1", 0) as taken, pytest.raises(InputError) as refused:
        listen("127.0.0.1", taken.getsockname()[1])
    assert refused.value.code == "port_taken"


@pytest.mark.parametrize(("host", "code"), [("0.0.0.0", "public_without_keys"), ("nowhere.invalid", "bad_host")])
def test_hosts_that_are_refused(host, code):
    with pytest.raises(InputError) as refused:
        listen(host, 0)
    assert refused.value.code == code


def test_chores_give_vectors_to_what_was_imported_without(engine: Engine, docs, tmp_path, open_engine):
    engine.ingest([docs])
    engine.export(tmp_path / "docs.knowgate.zip", vectors=False)
    from knowgate.config.settings import Settings

    with Engine(Settings(data=tmp_path / "other")) as other:
        other.import_(tmp_path / "docs.knowgate.zip")
        assert other.stats().pending == 2
        notices: list[str] = []
        chores = Chores(other, notices.append)
        chores.start()
        pause = threading.Event()
        while other.stats().pending:
            pause.wait(0.02)
        chores.stop()
        assert other.stats().vectors == 2
        assert notices == []


def test_what_goes_wrong_is_told_once(docs, open_engine):
    open_engine().ingest([docs / "refunds.md"])
    elsewhere = {"provider": "ollama", "model": "m", "dimension": 8, "base_url": "http://127.0.0.1:9"}
    engine: Engine = open_engine(embedder=elsewhere)
    engine.submit([docs])
    notices: list[str] = []
    chores = Chores(engine, notices.append)
    chores._do()
    chores._do()
    [notice] = notices
    assert "`knowgate reembed`" in notice
    assert engine.search("courier").hits[0].document.name == "guides/parcels.md"


def test_a_defect_does_not_end_the_chores(engine: Engine, docs, monkeypatch):
    def broken() -> None:
        raise RuntimeError("the wheels came off")

    notices: list[str] = []
    told, done = threading.Event(), threading.Event()

    def notice(text: str) -> None:
        notices.append(text)
        told.set()

    monkeypatch.setattr("knowgate.doors.serve._CHORE_SECONDS", 0.01)
    monkeypatch.setattr(engine, "interrupted", broken)
    chores = Chores(engine, notice)
    chores.start()
    assert told.wait(30)
    monkeypatch.setattr(engine, "interrupted", lambda: done.set() or [])
    assert done.wait(30)
    chores.stop()
    assert notices == ["RuntimeError: the wheels came off"]


def test_work_that_takes_long_is_left_behind(engine: Engine, monkeypatch):
    begun, over = threading.Event(), threading.Event()
    notices: list[str] = []

    def wait_long() -> None:
        begun.set()
        over.wait()
        raise RuntimeError("closed meanwhile")

    monkeypatch.setattr("knowgate.doors.serve._STOP_SECONDS", 0.01)
    monkeypatch.setattr(engine, "interrupted", wait_long)
    chores = Chores(engine, notices.append)
    chores.start()
    begun.wait()
    chores.stop()
    assert chores._thread.is_alive()
    over.set()
    chores._thread.join()
    assert notices == []

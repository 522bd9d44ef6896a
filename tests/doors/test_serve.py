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
    engine.export(tmp_path / "docs.kgz", vectors=False)
    from knowgate.config.settings import Settings

    with Engine(Settings(data=tmp_path / "other")) as other:
        other.import_(tmp_path / "docs.kgz")
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

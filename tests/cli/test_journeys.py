"""Whole journeys in processes of their own."""

from __future__ import annotations

import os
import signal
import time

import orjson
import pytest

from knowgate.engine import Engine


def test_ingest_search_documents_delete_stats(start, docs, tmp_path):
    def json(*arguments: str) -> dict:
        process = start(*arguments, "--data", tmp_path / "data", "--json")
        assert process.end() == 0
        assert process.err.seen == []
        return orjson.loads("".join(process.out.seen))

    assert json("ingest", docs)["task"]["completed"] == 2
    assert json("search", "when is my money back")["hits"][0]["document"]["name"] == "refunds.md"
    assert len(json("documents")["documents"]) == 2
    assert json("delete", "--yes", "refunds.md")["deleted"][0]["name"] == "refunds.md"
    assert json("stats")["documents"] == 1


@pytest.fixture
def many(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(150):
        (folder / f"{number:03}.md").write_text(f"# Note {number}\n\nParcel {number} left at {number % 24} o'clock.\n")
    return folder


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)], ids=["kill -9", "Ctrl-C"])
def test_an_interrupted_ingest_is_resumed(start, many, tmp_path, open_engine, sent, code):
    ingest = start("ingest", many, "--data", tmp_path / "data")
    ingest.err.until("Reading")
    engine: Engine = open_engine()
    while not engine.stats().documents:
        time.sleep(0.01)
    ingest.process.send_signal(sent)
    assert ingest.end() == code
    assert len(engine.interrupted()) == 1
    if sent == signal.SIGINT:
        assert "knowgate tasks resume" in "".join(ingest.err.seen)
    assert start("tasks", "resume", "--data", tmp_path / "data").end() == 0
    assert engine.interrupted() == []
    stats = engine.stats()
    assert (stats.documents, stats.vectors, stats.pending) == (150, stats.chunks, 0)
    assert engine.ingest([many]).skipped == 150


def test_in_the_background(start, docs, tmp_path, open_engine):
    started = start("ingest", docs, "--background", "--data", tmp_path / "data")
    assert started.end() == 0
    [id] = "".join(started.out.seen).split()
    engine: Engine = open_engine()
    # Watching it here ends when it ends there.
    assert engine.run(id).completed == 2
    assert engine.stats().documents == 2

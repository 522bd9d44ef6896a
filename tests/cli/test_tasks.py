from __future__ import annotations

import threading

import orjson
import pytest

from knowgate.engine import Engine


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def test_list_and_show(cli, docs, data):
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    id = cli("ingest", docs, "--data", data, "--json").json["task"]["id"]
    listed = cli("tasks", "--data", data)
    assert id in listed.out
    assert "3/3" in listed.out
    assert cli("tasks", "list", "--data", data).out == listed.out
    shown = cli("tasks", "show", id, "--data", data)
    assert "completed" in shown.out
    assert "Failed: broken.pdf" in shown.out
    assert cli("tasks", "show", id, "--data", data, "--json").json["task"]["failed"] == 1


def test_no_tasks(cli, data):
    ran = cli("tasks", "--data", data)
    assert (ran.out, ran.code) == ("", 0)
    assert "no tasks" in ran.err


def test_cancel_a_task_nobody_is_at(cli, docs, data, open_engine):
    engine: Engine = open_engine()
    id = engine.submit([docs]).id
    assert cli("tasks", "cancel", id, "--data", data).out == f"Task {id} is cancelled.\n"
    assert engine.task(id).status == "cancelled"
    assert engine.stats().documents == 0
    again = cli("tasks", "cancel", id, "--data", data, "--json")
    assert (again.code, orjson.loads(again.err)["code"]) == (8, "task_finished")


def test_resume(cli, docs, data, open_engine):
    engine: Engine = open_engine()
    id = engine.submit([docs]).id
    assert "No task was interrupted" not in cli("tasks", "resume", "--data", data).err
    assert engine.task(id).completed == 2
    assert "No task was interrupted" in cli("tasks", "resume", "--data", data).err


def test_run(cli, docs, data, open_engine):
    engine: Engine = open_engine()
    first, second = engine.submit([docs / "guides"]).id, engine.submit([docs / "refunds.md"]).id
    assert cli("tasks", "run", first, second, "--data", data, "--json").json["task"]["id"] == second
    assert engine.interrupted() == []
    assert engine.stats().documents == 2


def test_what_nobody_is_at_was_interrupted(cli, docs, data, open_engine):
    engine: Engine = open_engine()
    left = engine.submit([docs]).id
    assert "interrupted" in cli("tasks", "--data", data).out
    assert cli("tasks", "--data", data, "--json").json["tasks"][0]["interrupted"]
    cli("tasks", "resume", "--data", data)
    assert "interrupted" not in cli("tasks", "--data", data).out
    assert engine.task(left).finished


@pytest.mark.parametrize("arguments", [["--limit", "1"], ["list", "--limit", "1"], ["--limit", "1", "list"]])
def test_limit(cli, docs, data, open_engine, arguments):
    engine: Engine = open_engine()
    engine.submit([docs / "guides"])
    newest = engine.submit([docs / "refunds.md"]).id
    assert [task["id"] for task in cli("tasks", *arguments, "--data", data, "--json").json["tasks"]] == [newest]


def test_limit_is_for_the_list(cli, data):
    assert cli("tasks", "--limit", "1", "resume", "--data", data).code == 2


def test_a_task_that_another_process_is_at_is_waited_for(start, docs, data, open_engine):
    engine: Engine = open_engine()
    id = engine.submit([docs]).id
    reached, go_on = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        reached.set()
        go_on.wait(300)

    other = threading.Thread(target=engine.run, args=(id, hold))
    other.start()
    assert reached.wait(60)
    watching = start("tasks", "run", id, "--data", data)
    try:
        watching.err.until(f"Waiting for task {id}, which another process is running.")
    finally:
        go_on.set()
        other.join()
    assert watching.end() == 0
    assert "interrupted" not in "".join(watching.err.seen)

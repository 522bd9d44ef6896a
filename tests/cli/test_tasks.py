from __future__ import annotations

import orjson
import pytest

from knowgate.engine import Engine


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def test_list_and_show(cli, docs, data):
    (docs / "empty.md").write_text("")
    id = cli("ingest", docs, "--data", data, "--json").json["task"]["id"]
    listed = cli("tasks", "--data", data)
    assert id in listed.out
    assert "3/3" in listed.out
    assert cli("tasks", "list", "--data", data).out == listed.out
    shown = cli("tasks", "show", id, "--data", data)
    assert "completed" in shown.out
    assert "empty.md is empty." in shown.out
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

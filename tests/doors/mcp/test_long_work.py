"""Work that takes longer than a client's patience: told how far it is, taken back, asked for twice, left alone."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from tests.doors.mcp.talking import ENVELOPE, Line, on_the_line
from tests.embedding_server import embeddings

from knowgate import Engine
from knowgate.config.settings import Settings


@pytest.fixture
def much(tmp_path: Path) -> Path:
    folder = tmp_path / "much"
    folder.mkdir()
    for number in range(2000):
        (folder / f"{number}.md").write_text(f"# Number {number}\n\nThe number is {number}.\n" * 3, encoding="utf-8")
    return folder


def _begin(line: Line, folder: Path, modern: bool) -> int:
    meta: dict[str, Any] = {"progressToken": "ingest", **(ENVELOPE if modern else {})}
    call = {"name": "knowgate_ingest", "arguments": {"path": str(folder)}, "_meta": meta}
    return line.send("tools/call", call)


def _progress(line: Line) -> dict[str, Any]:
    while (message := line.read()).get("method") != "notifications/progress":
        pass
    return message["params"]


@pytest.mark.parametrize("modern", [False, True])
def test_a_call_that_is_taken_back_takes_its_task_back(tmp_path, much, modern):
    data = tmp_path / "data"
    with on_the_line("--data", data, "mcp") as line:
        if not modern:
            line.shake_hands()
        id = _begin(line, much, modern)
        before, now = _progress(line), _progress(line)
        assert before["progressToken"] == "ingest"
        while not now.get("total"):  # the files are still being listed
            assert now["progress"] > before["progress"]
            before, now = now, _progress(line)
        assert now["progress"] > before["progress"]
        assert now["total"] == 2000
        assert " of 2000 files" in now["message"]
        line.tell("notifications/cancelled", {"requestId": id})
        with Engine(Settings(data=data)) as engine:
            [task] = engine.tasks()
            assert engine.wait(task.id, 60).status == "cancelled"
        # The server is as well as before.
        assert line.ask("tools/list", modern=modern)["result"]["tools"]


def test_a_call_that_is_made_again_does_not_begin_again(tmp_path, much):
    with on_the_line("--data", tmp_path / "data", "mcp") as line:
        line.shake_hands()
        call = {"name": "knowgate_ingest", "arguments": {"path": str(much), "wait": False}}
        first = line.ask("tools/call", call)["result"]["structuredContent"]
        assert not first["done"]
        again = line.ask("tools/call", call)["result"]
        assert again["structuredContent"]["task_id"] == first["task_id"]
        assert f'Wait for it with knowgate_task {{"task_id": "{first["task_id"]}"}}.' in again["content"][0]["text"]
        other = {"name": "knowgate_ingest", "arguments": {"text": "# A note", "filename": "note.md", "wait": False}}
        assert line.ask("tools/call", other)["result"]["structuredContent"]["task_id"] != first["task_id"]


def test_an_app_that_hangs_up_leaves_the_task_to_be_finished(tmp_path, docs):
    data = tmp_path / "data"
    for number in range(100):
        (docs / f"{number}.md").write_text(f"# Number {number}\n\nThe number is {number}.\n" * 3, encoding="utf-8")
    # Without vectors no task ends, however slow we are to hang up.
    vectors = threading.Event()
    with embeddings(vectors) as url:
        embedder = {"provider": "openai", "model": "four", "base_url": url, "api_key": "k", "dimension": 4}
        embedder["timeout_seconds"] = 600
        environ = {f"KNOWGATE_EMBEDDER_{name.upper()}": str(value) for name, value in embedder.items()}
        settings = Settings.model_validate({"data": data, "embedder": embedder})
        with on_the_line("--data", data, "mcp", environ=environ) as line:
            line.shake_hands()
            _begin(line, docs, modern=False)
            with Engine(settings) as engine:
                pause = threading.Event()
                while not engine.tasks():
                    pause.wait(0.01)
            assert line.hang_up() == 0
        vectors.set()
        with on_the_line("--data", data, "mcp", environ=environ) as line:
            with Engine(settings) as engine:
                [task] = engine.tasks()
                assert not task.finished
            line.shake_hands()
            state: dict[str, Any] = {"done": False}
            while not state["done"]:
                waiting = {"name": "knowgate_task", "arguments": {"task_id": task.id}}
                state = line.ask("tools/call", waiting)["result"]["structuredContent"]
            assert (state["status"], state["successful_files"]) == ("completed", 102)
            assert (len(state["files"]), state["files_left_out"]) == (20, 82)

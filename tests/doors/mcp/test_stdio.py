"""A server that an AI app starts: quick to answer, silent but for the protocol, gone when the app is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from tests.doors.mcp.talking import SCRIPT, on_the_line

_HEAVY = (
    "numpy",
    "onnxruntime",
    "fastapi",
    "lxml",
    "apsw",
    "knowgate.engine",
    "knowgate.config.settings",
    "rich",
    "knowgate.wire",
)


def test_nothing_heavy_is_loaded_before_the_first_call(tmp_path):
    with tempfile.TemporaryFile() as stderr:
        with on_the_line("--data", tmp_path, "mcp", flags=("-X", "importtime"), stderr=stderr) as line:
            line.shake_hands()
            assert line.ask("tools/list")["result"]["tools"]
            assert line.ask("resources/list")["result"]["resources"]
            assert line.ask("prompts/list")["result"]["prompts"]
            line.hang_up()
        stderr.seek(0)
        loaded = {row.rpartition("|")[2].strip() for row in stderr.read().decode().splitlines()}
    assert "mcp.server.lowlevel.server" in loaded
    assert not loaded & set(_HEAVY)
    assert not (tmp_path / "knowgate.db").exists()


def test_what_a_library_prints_does_not_reach_the_app(tmp_path):
    noisy = tmp_path / "noisy"
    noisy.mkdir()
    # Stands in front of a library that everybody loads, prints in every way there is, and steps aside.
    (noisy / "typing_extensions.py").write_text(
        "import os, sys\n"
        "print('noise'); sys.stdout.flush(); os.write(1, b'more noise\\n'); os.system('echo a child')\n"
        "sys.path.remove(os.path.dirname(__file__))\n"
        "del sys.modules['typing_extensions']\n"
        "import typing_extensions\n"
        "sys.modules['typing_extensions'] = typing_extensions\n",
        encoding="utf-8",
    )
    with tempfile.TemporaryFile() as stderr:
        environ = {"PYTHONPATH": str(noisy)}
        with on_the_line("--data", tmp_path / "data", "mcp", environ=environ, stderr=stderr) as line:
            assert line.shake_hands()["result"]
            called = line.ask("tools/call", {"name": "knowgate_stats", "arguments": {}})
            assert called["result"]["content"][0]["text"].startswith("0 documents, 0 passages.")
            line.hang_up()
            assert line.process.stdout
            assert line.process.stdout.read() == b""
        stderr.seek(0)
        printed = stderr.read()
    assert printed.count(b"noise") >= 2
    assert b"a child" in printed


def test_reading_only(tmp_path, docs):
    with on_the_line("mcp", "--data", tmp_path / "data", "--read-only") as line:
        line.shake_hands()
        listed = line.ask("tools/list")["result"]["tools"]
        assert all(tool["annotations"]["readOnlyHint"] for tool in listed)
        called = line.ask("tools/call", {"name": "knowgate_ingest", "arguments": {"path": str(docs)}})
        assert called["error"]["message"].startswith("Unknown tool: knowgate_ingest")


def test_a_wrong_configuration_is_told_to_the_caller(tmp_path):
    with on_the_line("mcp", "--config", tmp_path / "missing.toml") as line:
        line.shake_hands()
        called = line.ask("tools/call", {"name": "knowgate_stats", "arguments": {}})["result"]
        assert called["isError"]
        assert "missing.toml" in called["content"][0]["text"]


def test_an_unknown_flag_ends_the_command(tmp_path):
    done = subprocess.run(
        [sys.executable, *SCRIPT, "mcp", "--toolset", "nonsense"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "nonsense" in done.stderr


def test_openrag_mcp_wants_its_key():
    environ = {name: value for name, value in os.environ.items() if not name.startswith("OPENRAG")}
    command = [sys.executable, "-c", "from knowgate.cli.start import openrag_mcp; openrag_mcp()"]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Configuration error: OPENRAG_API_KEY is not set.")


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe cannot be handed on like this")
def test_it_ends_with_the_app_though_the_pipe_stays_open(tmp_path):
    """The app is killed, and another process holds its end of stdin."""
    reading, held = os.pipe()
    said, saying = os.pipe()
    server = [sys.executable, *SCRIPT, "--data", str(tmp_path), "mcp"]
    app = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess, time; subprocess.Popen({server!r}); time.sleep(600)"],
        stdin=reading,
        stdout=saying,
        stderr=subprocess.DEVNULL,
    )
    os.close(reading)
    os.close(saying)
    try:
        os.write(held, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert os.read(said, 1)
        app.kill()
        app.wait()
        # Its stdout ends when the last who could write to it is gone.
        listening = threading.Thread(target=_read_on, args=(said,), daemon=True)
        listening.start()
        listening.join(60)
        assert not listening.is_alive()
    finally:
        if app.poll() is None:
            app.kill()
            app.wait()
        os.close(held)
        os.close(said)


def _read_on(pipe: int) -> None:
    while os.read(pipe, 4096):
        pass


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("killed", [False, True])
def test_no_worker_stays_behind(tmp_path, docs, killed):
    with on_the_line("--data", tmp_path / "data", "mcp") as line:
        line.shake_hands()
        called = line.ask("tools/call", {"name": "knowgate_ingest", "arguments": {"path": str(docs)}})["result"]
        while not called["structuredContent"]["done"]:
            waiting = {"name": "knowgate_task", "arguments": {"task_id": called["structuredContent"]["task_id"]}}
            called = line.ask("tools/call", waiting)["result"]
        assert called["structuredContent"]["status"] == "completed"
        children = _children(line.process.pid)
        assert children
        if killed:
            line.process.kill()
            line.process.wait(60)
        else:
            assert line.hang_up() == 0
    pause = threading.Event()
    for _ in range(600):
        if not any(map(_lives, children)):
            return
        pause.wait(0.1)
    pytest.fail("A worker is still there.")


def _children(pid: int) -> list[str]:
    found: list[str] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread may end while we look
            found += (thread / "children").read_text().split()
    return found


def _lives(pid: str) -> bool:
    try:
        # Behind the name in brackets: Z is dead, and only waits for somebody to notice.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False

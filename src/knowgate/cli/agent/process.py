"""The agent as a process: which one runs, where it listens, how it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowgate.cli.agent.folder import write_private
from knowgate.errors import NetworkError

PID_FILE = "mrapids-agent.pid"
LOG = "mrapids-agent.log"
_PATIENCE_SECONDS = 60.0
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Running:
    pid: int
    url: str


def write_pid(folder: Path, url: str) -> None:
    write_private(folder / PID_FILE, f"{os.getpid()}\n{url}\n".encode())


def remove_pid(folder: Path) -> None:
    """Only our own: another agent may have been started since."""
    found = _noted(folder)
    if found and found.pid == os.getpid():
        (folder / PID_FILE).unlink(missing_ok=True)


def running(folder: Path) -> Running | None:
    """The agent that was started on this folder, if it still is what answers there."""
    noted = _noted(folder)
    if noted is None:
        return None
    try:
        told = ask(noted.url, "health", {})
    except NetworkError:
        return None
    # With keys it does not say who it is; then that something answers has to do.
    return noted if told.get("result", {}).get("pid", noted.pid) == noted.pid else None


def ask(url: str, method: str, params: dict[str, Any], key: str = "") -> dict[str, Any]:
    """One call of the dialect."""
    import httpx2

    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    try:
        with httpx2.Client(trust_env=False, timeout=60) as client:
            response = client.post(url, json=message, headers={"X-API-Key": key} if key else {})
            return response.json()
    except (httpx2.HTTPError, ValueError) as error:
        fix = "Start it with `mrapids-agent start`."
        raise NetworkError("unreachable", f"No agent answers at {url}.", fix) from error


def start_aside(folder: Path, arguments: Sequence[str]) -> Running:
    """Start it in a process of its own, which outlives this one, and wait until it answers."""
    log = folder / LOG
    code = "from knowgate.cli.start import mrapids_agent; mrapids_agent()"
    log.touch(mode=0o600)
    with log.open("ab") as messages:
        # -P: the working directory must not offer modules to import.
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", code, "start", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0)
            | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    until = time.monotonic() + _PATIENCE_SECONDS
    while child.poll() is None and time.monotonic() < until:
        found = _noted(folder)
        if found and found.pid == child.pid:
            # It goes on without us.
            child.returncode = 0
            return found
        time.sleep(_PAUSE_SECONDS)
    raise NetworkError("not_started", "The agent did not start.", f"See what it said in {log}.")


def end(folder: Path, agent: Running, force: bool) -> bool:
    """Whether it is gone."""
    os.kill(agent.pid, getattr(signal, "SIGKILL", signal.SIGTERM) if force else signal.SIGTERM)
    until = time.monotonic() + _PATIENCE_SECONDS
    while running(folder) and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
    if running(folder):
        return False
    (folder / PID_FILE).unlink(missing_ok=True)
    return True


def _noted(folder: Path) -> Running | None:
    try:
        pid, url = (folder / PID_FILE).read_text(encoding="utf-8").split()
        return Running(int(pid), url)
    except (OSError, ValueError):
        return None

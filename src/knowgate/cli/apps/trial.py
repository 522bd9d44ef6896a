"""Starting a server as an app would, and asking it for its tools."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

from knowgate.cli.apps.entries import Entry
from knowgate.errors import ConflictError, KnowgateError, NotFoundError

_PATIENCE_SECONDS = 60.0
"""After this long most apps have given up."""
_GRACE_SECONDS = 10.0
_LAST_LINES = 5
_REPAIR = "Write the entry anew with `knowgate mcp install`."
_HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "knowgate-doctor", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Answered:
    name: str
    version: str
    tools: int
    seconds: float


def try_out(entry: Entry, environ: Mapping[str, str], patience: float = _PATIENCE_SECONDS) -> Answered:
    """What the server says of itself; an error tells why it says nothing."""
    if shutil.which(entry.command, path=environ.get("PATH")) is None:
        raise NotFoundError("server_missing", f"There is no program {entry.command}.", _REPAIR)
    # What is set in this terminal only must not make it work: apps do not know it.
    shared = {name: value for name, value in environ.items() if not name.startswith("KNOWGATE_")}
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                [entry.command, *entry.args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env={**shared, **entry.env},
            )
        except OSError as error:
            raise _failed(f"cannot be started: {error.strerror}", said) from error
        gave_up = threading.Event()

        def give_up() -> None:
            gave_up.set()
            process.kill()

        watch = threading.Timer(patience, give_up)
        watch.start()
        try:
            server, tools = _ask(process)
            answered = Answered(str(server["name"]), str(server.get("version", "")), tools, time.monotonic() - began)
        except (OSError, EOFError) as error:
            how = f"did not answer in {patience:.0f} s" if gave_up.is_set() else f"ended with {process.wait()}"
            raise _failed(how, said) from error
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise _failed("answers with something else than MCP", said) from error
        finally:
            watch.cancel()
            _end(process)
    return answered


def _ask(process: subprocess.Popen[bytes]) -> tuple[dict[str, Any], int]:
    assert process.stdin and process.stdout
    server = _request(process.stdin, process.stdout, 1, "initialize", _HELLO)["serverInfo"]
    _write(process.stdin, {"method": "notifications/initialized"})
    listed = _request(process.stdin, process.stdout, 2, "tools/list", {})
    return server, len(listed["tools"])


def _request(writing: IO[bytes], reading: IO[bytes], id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    _write(writing, {"id": id, "method": method, "params": params})
    while line := reading.readline():
        answer = json.loads(line)
        if answer.get("id") == id:
            return answer["result"]
    raise EOFError


def _write(writing: IO[bytes], message: dict[str, Any]) -> None:
    writing.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    writing.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """By hanging up, as an app does: what it started itself ends with it."""
    assert process.stdin and process.stdout
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def _failed(how: str, said: IO[bytes]) -> KnowgateError:
    said.seek(0)
    lines = said.read().decode(errors="replace").split("\n")
    last = " / ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])
    return ConflictError("server_failed", f"It {how}{': ' + last if last else ''}.", _REPAIR)

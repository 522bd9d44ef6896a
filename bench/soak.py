"""Many calls at once for a long time, on one server over stdio and one over HTTP. Needs /proc.

    python -m bench.soak [--minutes 10] [--callers 4]

The app that calls is a process of its own. In the middle of its work it is killed: the server that it started has to
end with it, the other one has to go on. Prints the memory of both after a tenth of the time, when they are warm, and at
the end, and fails when it grew by more than a tenth, when a call failed or when a process stayed behind.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from bench.server import QUESTIONS, SHOP, server

_GROWTH = 1.1
_SAMPLE_SECONDS = 2.0
_PATIENCE_SECONDS = 30.0
_NOTES = 20
"""Documents that are brought in again and again, so that the index does not grow."""


class App:
    """What an AI app does, only more of it."""

    def __init__(self) -> None:
        self.calls = 0
        self.errors: list[str] = []

    async def run(self, data: str, url: str, key: str, callers: int) -> None:
        command = StdioServerParameters(command=sys.executable, args=["-m", "knowgate", "--data", data, "mcp"])
        async with AsyncExitStack() as stack:
            nowhere = stack.enter_context(Path(os.devnull).open("w"))  # noqa: SIM115 - the stack closes it
            own = await stack.enter_async_context(Client(stdio_client(command, errlog=nowhere)))
            http = await stack.enter_async_context(httpx2.AsyncClient(headers={"X-API-Key": key}, timeout=60))
            far = [
                await stack.enter_async_context(
                    Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode)
                )
                for mode in ("legacy", "2026-07-28")
            ]
            async with asyncio.TaskGroup() as group:
                for number in range(callers):
                    group.create_task(self._call(own, random.Random(number)))
                    group.create_task(self._call(far[number % 2], random.Random(-number)))
                group.create_task(self._tell())

    async def _call(self, client: Client, draw: random.Random) -> None:
        while True:
            name, arguments = _some_call(draw)
            try:
                result = await client.call_tool(name, arguments)
                if result.is_error:
                    self.errors.append(f"{name}: {result.content}")
            except Exception as error:  # noqa: BLE001 - whatever goes wrong is what we count
                self.errors.append(f"{name}: {error!r}")
            self.calls += 1
            await asyncio.sleep(draw.uniform(0, 0.2))

    async def _tell(self) -> None:
        while True:
            print(json.dumps({"calls": self.calls, "failed": len(self.errors), "errors": self.errors[:5]}), flush=True)
            await asyncio.sleep(1)


def _some_call(draw: random.Random) -> tuple[str, dict[str, Any]]:
    question = draw.choice(QUESTIONS)
    number = draw.randrange(_NOTES)
    text = f"# Note {number}\n\nThe parcel {draw.random()} was handed over to the courier.\n"
    return draw.choice(
        (
            ("knowgate_search", {"query": question}),
            ("knowgate_search", {"query": question, "response_format": "detailed"}),
            ("knowgate_chat", {"message": question}),
            ("knowgate_documents", {}),
            ("knowgate_stats", {}),
            ("knowgate_ingest", {"text": text, "filename": f"notes/{number}.md", "wait": draw.random() < 0.5}),
        )
    )


@dataclass
class Watched:
    """A process and all that it started."""

    name: str
    pid: int
    megabytes: list[float] = field(default_factory=list[float])
    files: list[int] = field(default_factory=list[int])

    def look(self) -> None:
        family = [self.pid, *descendants(self.pid)]
        self.megabytes.append(sum(_resident(pid) for pid in family))
        self.files.append(sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir()))

    def grew(self) -> float:
        """The end as a multiple of the beginning."""
        tenth = max(1, len(self.megabytes) // 10)
        warm, end = (statistics.median(part) for part in (self.megabytes[tenth : 2 * tenth], self.megabytes[-tenth:]))
        files = self.files[tenth], self.files[-1]
        print(f"{self.name:6} {warm:6.0f} MB warm, {end:6.0f} MB at the end ({end / warm:.2f}); open files {files}")
        return end / warm


def descendants(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return [each for child in children for each in (child, *descendants(child))]


def _resident(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0)


def lives(pid: int) -> bool:
    try:
        # Behind the name in brackets: Z is dead, and only waits for somebody to notice.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _left(pids: list[int]) -> list[int]:
    """Those that are still there after a while."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while (left := [pid for pid in pids if lives(pid)]) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _child(of: int, word: str) -> int:
    """The process below another that was started with this word."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        for pid in descendants(of):
            if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                return pid
        time.sleep(0.1)
    raise SystemExit(f"There is no process {word}.")


def soak(minutes: float, callers: int, folder: Path) -> bool:
    data, told = folder / "own", folder / "told"
    ingest = [sys.executable, "-m", "knowgate", "ingest", str(SHOP), "--data", str(data)]
    subprocess.run(ingest, check=True, capture_output=True)
    (folder / "served").mkdir()
    with server(folder / "served" / "data") as (url, key), told.open("w") as telling:
        command = [sys.executable, "-m", "bench.soak", "--app", str(data), url, key, str(callers)]
        app = subprocess.Popen(command, stdout=telling)
        try:
            watched = [Watched("stdio", _child(app.pid, "mcp")), Watched("HTTP", _child(os.getpid(), "serve"))]
            until = time.monotonic() + minutes * 60
            while time.monotonic() < until and app.poll() is None:
                for each in watched:
                    each.look()
                time.sleep(_SAMPLE_SECONDS)
            started = [watched[0].pid, *descendants(watched[0].pid)]
        finally:
            app.kill()
            app.wait()
        orphans = _left(started)
        goes_on = lives(watched[1].pid)
        served = [watched[1].pid, *descendants(watched[1].pid)]
    orphans += _left(served)
    last = json.loads(told.read_text().splitlines()[-1])
    print(f"{last['calls']} calls in {minutes:g} minutes, {last['failed']} failed", *last["errors"], sep="\n  ")
    flat = [each.grew() <= _GROWTH for each in watched]
    print(f"processes that stayed behind: {len(orphans)}; the HTTP server went on: {'yes' if goes_on else 'NO'}")
    return all(flat) and goes_on and not orphans and not last["failed"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--callers", type=int, default=4, help="of each server")
    parser.add_argument("--app", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.app:
        data, url, key, callers = chosen.app
        asyncio.run(App().run(data, url, key, int(callers)))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(0 if soak(chosen.minutes, chosen.callers, Path(folder)) else 1)


if __name__ == "__main__":
    main()

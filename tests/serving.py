"""Servers for tests that come over the network: in a process of its own, or around an engine at hand."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import uvicorn

from knowgate import Engine
from knowgate.doors.rest.app import create_app
from knowgate.doors.serve import KEEP_ALIVE_SECONDS, address, listen
from knowgate.errors import InputError
from knowgate.workers import Workers


@dataclass
class Server:
    url: str
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    """What it wrote on stderr so far."""

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def unclaimed_port() -> int:
    """A free one that nobody gets who asks for any: those lie higher."""
    while True:
        port = random.randrange(10_000, 30_000)
        with suppress(InputError), listen("127.0.0.1", port):
            return port


def knowgate(*arguments: str, data: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "knowgate", *arguments, "--data", str(data)],
        capture_output=True,
        text=True,
        check=True,
        cwd=data.parent,
    )
    return done.stdout


@contextmanager
def serving(data: Path, environ: Mapping[str, str] | None = None, *flags: str) -> Iterator[Server]:
    import os

    process = subprocess.Popen(
        [sys.executable, "-m", "knowgate", "serve", "--port", "0", "--data", str(data), *flags],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        cwd=data.parent,
        env={**os.environ, **(environ or {})},
    )
    assert process.stderr
    server = Server("", process)
    for line in process.stderr:
        server.lines.append(line)
        if found := re.search(r"serves at (http://\S+)", line):
            server.url = found[1]
            break
    # Somebody must read on, or the server waits for room to write.
    reader = Thread(target=lambda: server.lines.extend(process.stderr or ()))
    reader.start()
    try:
        assert server.url, "".join(server.lines)
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        reader.join()
        process.stderr.close()


@contextmanager
def listening(engine: Engine, *, workers: bool = False) -> Iterator[str]:
    """The REST door around an engine at hand; the address."""
    config = uvicorn.Config(create_app(engine), log_level="critical", timeout_keep_alive=KEEP_ALIVE_SECONDS)
    server = uvicorn.Server(config)
    listener = listen("127.0.0.1", 0)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    busy = Workers(engine, notice=print)
    url = address(listener)
    thread.start()
    if workers:
        busy.start()
    try:
        yield url
    finally:
        server.should_exit = True
        thread.join()
        if workers:
            busy.stop()
        listener.close()

"""The command line as people meet it: in this process for speed, in one of its own where that matters."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson
import pytest

from knowgate.cli.main import run


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return orjson.loads(self.out)


@pytest.fixture(scope="session")
def shop_data(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Path:
    """The examples, indexed once. Not to be changed: copy it with `indexed`."""
    data = tmp_path_factory.mktemp("shop") / "data"
    assert run(["--data", str(data), "ingest", str(examples), "--json"]) == 0
    return data


@pytest.fixture
def indexed(shop_data: Path, tmp_path: Path) -> Path:
    return shutil.copytree(shop_data, tmp_path / "indexed")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """A command in this process, in an empty working directory."""
    home = tmp_path / "cwd"
    home.mkdir()
    monkeypatch.chdir(home)

    def call(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return call


class Process:
    """A command in a process of its own, and its lines as they come."""

    def __init__(self, *arguments: str | Path, **environ: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "knowgate", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONUNBUFFERED": "1", **environ},
        )
        assert self.process.stdout and self.process.stderr
        self.out, self.err = _Lines(self.process.stdout), _Lines(self.process.stderr)

    def end(self) -> int:
        code = self.process.wait(300)
        self.out.join()
        self.err.join()
        return code


class _Lines:
    def __init__(self, stream: IO[str]) -> None:
        self._queue: queue.Queue[str] = queue.Queue()
        self.seen: list[str] = []
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._stream:
            self.seen.append(line)
            self._queue.put(line)

    def until(self, part: str) -> str:
        """The next line with `part` in it."""
        while True:
            line = self._queue.get(timeout=300)
            if part in line:
                return line

    def join(self) -> None:
        self._thread.join()
        self._stream.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def begin(*arguments: str | Path, **environ: str) -> Process:
        started.append(Process(*arguments, **environ))
        return started[-1]

    yield begin
    for process in started:
        if process.process.poll() is None:
            process.process.kill()
        process.end()

"""Parsing in worker processes under a time and a memory limit: a hostile file costs its own failure, nothing else.

The memory limit is the system's on Linux, a watch over resident memory on macOS, and absent on Windows, where only the
readers' own caps hold.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.wire import (
    EXIT_MEMORY,
    MAX_ANSWER_BYTES,
    Answer,
    Request,
    WireError,
    decode_answer,
    encode_request,
    receive,
    send,
)
from knowgate.model import Parsed

_WORKER = (sys.executable, "-P", "-m", "knowgate.knowledge.parse.worker")
"""-P: a folder of documents that happens to be the working directory must not offer modules to import."""
_FILES_PER_CHILD = 200
_TICK_SECONDS = 0.1
_SAMPLE_AFTER_SECONDS = 1.0


class Sandbox:
    """Safe to call from many threads; at most `workers` files are parsed at once."""

    def __init__(
        self,
        timeout_seconds: float = 60,
        memory_bytes: int = 1024**3,
        workers: int = 2,
        *,
        files_per_child: int = _FILES_PER_CHILD,
        command: Sequence[str] = _WORKER,
    ) -> None:
        self._timeout = timeout_seconds
        self._memory = memory_bytes
        self._files_per_child = files_per_child
        self._command = (*command, str(memory_bytes), str(timeout_seconds))
        self._slots = threading.BoundedSemaphore(workers)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._work = threading.Event()
        self._watcher: threading.Thread | None = None
        self._closing = threading.Event()

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        with self._slots:
            child = self._take(name)
            try:
                answer = child.ask(Request(name, data, options))
            except BaseException:  # also Ctrl-C: a half-read answer must never be taken for the next file's
                self._give_back(child, healthy=False)
                raise
            self._give_back(child, healthy=answer is not None)
        if answer is None:
            raise self._failure(child, name)
        if answer.error is not None:
            raise DocumentError(answer.error.code, answer.error.message, answer.error.fix)
        assert answer.parsed is not None
        return answer.parsed

    def close(self) -> None:
        """Ends every worker; a file still being parsed fails with `parse_stopped`."""
        with self._lock:
            self._closing.set()
            idle, self._idle = self._idle, []
            for child in self._busy:
                child.kill("stopped")
            self._work.set()
        for child in idle:
            child.end()
        if self._watcher is not None:
            self._watcher.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, name: str) -> _Child:
        with self._lock:
            if self._closing.is_set():
                raise _stopped(name)
            while self._idle:
                child = self._idle.pop()
                if child.is_alive():
                    break
                child.end()
            else:
                child = self._start(name)
            child.begin()
            self._busy.add(child)
            self._work.set()
            return child

    def _start(self, name: str) -> _Child:
        try:
            child = _Child(self._command)
        except OSError as error:
            raise DocumentError(
                "parse_crash",
                f"{name} could not be read because no reader process could be started ({error.strerror}).",
                "Free some memory or end other processes, and ingest it again.",
            ) from error
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="sandbox-watch", daemon=True)
            self._watcher.start()
        return child

    def _give_back(self, child: _Child, *, healthy: bool) -> None:
        with self._lock:
            self._busy.discard(child)
            reusable = healthy and not child.doomed and child.files < self._files_per_child
            if reusable and not self._closing.is_set():
                self._idle.append(child)
                return
        child.end()

    def _watch(self) -> None:
        """Keeps the clock, and the memory where the system does not, of every file being parsed."""
        while self._work.wait():
            self._closing.wait(_TICK_SECONDS)
            with self._lock:
                if self._closing.is_set():
                    return
                if not self._busy:
                    self._work.clear()
                now = time.monotonic()
                for child in self._busy:
                    spent = now - child.started
                    if spent > self._timeout:
                        child.kill("timeout")
                    elif spent > _SAMPLE_AFTER_SECONDS and resident_bytes(child.pid) > self._memory:
                        child.kill("memory")

    def _failure(self, child: _Child, name: str) -> DocumentError:
        end = child.verdict()
        if end == "stopped":
            return _stopped(name)
        if end == "timeout":
            return DocumentError(
                "parse_timeout",
                f"{name} was not read within {self._timeout:g} seconds.",
                "Split it into smaller files, or raise the time limit for parsing.",
            )
        if end == "memory":
            return DocumentError(
                "parse_memory",
                f"{name} needs more than {self._memory / 2**20:.0f} MB of memory to be read.",
                "Split it into smaller files, or raise the memory limit for parsing.",
            )
        return DocumentError(
            "parse_crash",
            f"{name} made its reader fail ({end}).",
            "It is probably damaged: open it in its own program, save it again and ingest that copy.",
        )


class _Child:
    """One worker process and the pipes to it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a process group of its own, to be ended as a whole
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self.pid = self._process.pid
        self.started = 0.0
        self.files = 0
        self._reason = ""

    def begin(self) -> None:
        self.started = time.monotonic()
        self.files += 1

    def ask(self, request: Request) -> Answer | None:
        """None when the worker ended, or began to talk nonsense, before its answer was whole."""
        try:
            send(_open(self._process.stdin), encode_request(request))
            frame = receive(_open(self._process.stdout), MAX_ANSWER_BYTES)
            return None if frame is None else decode_answer(frame)
        except OSError:  # the pipe broke
            return None
        except WireError as error:
            self._reason = str(error)
            return None

    @property
    def doomed(self) -> bool:
        """Sentenced, perhaps at the very moment its answer arrived."""
        return bool(self._reason)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def kill(self, reason: str) -> None:
        """Only signals; whoever waits for the answer then ends the child."""
        self._reason = self._reason or reason
        # The leader is not yet reaped, so the number still is its own group's.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self.pid, signal.SIGKILL)

    def end(self) -> None:
        if self._process.returncode is None:
            self.kill("")
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # what was left unsent has nowhere to go
                _open(pipe).close()

    def verdict(self) -> str:
        """Why the child ended, once it has: stopped, timeout, memory, or what is known of a crash."""
        code = self._process.returncode
        if self._reason:
            return self._reason
        # Nobody here sent SIGKILL, so the system did, and it does so when memory runs out.
        if code in (EXIT_MEMORY, -getattr(signal, "SIGKILL", 9)):
            return "memory"
        if code == -getattr(signal, "SIGALRM", 14):  # the worker's own clock, when ours was held up
            return "timeout"
        if code is not None and code < 0:
            return signal.strsignal(-code) or f"signal {-code}"
        return f"exit code {code}"


def resident_bytes(pid: int) -> int:
    """How much memory the process holds; 0 where that cannot be known."""
    try:
        if sys.platform == "linux":
            return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        if sys.platform == "darwin":
            return int(subprocess.check_output(["/bin/ps", "-o", "rss=", "-p", str(pid)])) * 1024
    except (OSError, ValueError, subprocess.CalledProcessError):
        pass  # it has just ended
    return 0


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _stopped(name: str) -> DocumentError:
    return DocumentError("parse_stopped", f"Reading {name} was stopped.", "Ingest it again.")

"""One at a time, across threads and processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_PATIENCE = 60.0
"""Nobody holds the lock for longer than a few lines take, which is seconds where many want the processor; who waits for
this long waits for a process that hangs."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.01


@contextmanager
def locked(path: Path, patience: float = _PATIENCE) -> Generator[None]:
    """TimeoutError when it cannot be had."""
    # Opened anew each time: a descriptor that threads or forked processes share would let all of them in.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait(descriptor, patience)
        try:
            yield
        finally:
            _release(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked_for_reading(path: Path) -> Generator[None]:
    """Holds writers off for a moment. Where there is no lock yet, or the folder is a read-only copy, nobody writes."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        _wait(descriptor, _PATIENCE)
        try:
            yield
        finally:
            _release(descriptor)
    finally:
        os.close(descriptor)


def _wait(descriptor: int, patience: float) -> None:
    end = time.monotonic() + patience
    pause = _FIRST_PAUSE
    while not _try(descriptor):
        if time.monotonic() >= end:
            raise TimeoutError("another process holds the lock")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(descriptor: int) -> None:
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(descriptor: int) -> None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)

"""Where contents handed to us wait for their task."""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from knowgate.errors import InputError, StorageError
from knowgate.knowledge.sources import is_text
from knowgate.knowledge.tasks import Tasks

FOLDER = "inbox"
LONGEST_NAME = 1000
_FORGOTTEN_SECONDS = 3600.0
_PIECE = 1 << 20


class Inbox:
    def __init__(self, data: Path, tasks: Tasks, max_bytes: int) -> None:
        self._folder = data / FOLDER
        self._tasks = tasks
        self._max_bytes = max_bytes

    def keep(self, content: bytes | BinaryIO) -> str:
        """Put a content where its task finds it; where it lies."""
        path = self._folder / uuid.uuid4().hex / "content"
        if isinstance(content, bytes):
            self._write(path, lambda: path.write_bytes(content))
        else:
            self._write(path, lambda: self._copy(content, path))
        return str(path)

    def sweep(self) -> None:
        """Clear away what a killed process left."""
        waiting = {
            Path(each).parent for task in self._tasks.unfinished() for each in self._tasks.request(task.id).names
        }
        for left in self._folder.iterdir() if self._folder.is_dir() else ():
            if left not in waiting and left.stat().st_mtime < time.time() - _FORGOTTEN_SECONDS:
                shutil.rmtree(left, ignore_errors=True)

    def clear(self, task_id: str) -> None:
        self.discard(self._tasks.request(task_id).names)

    def discard(self, kept: Iterable[str]) -> None:
        for path in kept:
            shutil.rmtree(Path(path).parent, ignore_errors=True)

    def _copy(self, content: BinaryIO, path: Path) -> None:
        left = self._max_bytes
        with path.open("wb") as file:
            while piece := content.read(_PIECE):
                left -= len(piece)
                file.write(piece)
                if left < 0:
                    # The reader refuses it by its size, in words; there is no need to keep all of it.
                    return

    def _write(self, path: Path, write: Callable[[], object]) -> None:
        try:
            path.parent.mkdir(parents=True)
            write()
        except OSError as error:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise StorageError(
                "cannot_write",
                f"The data folder cannot be written: {error.strerror}.",
                "Check its space and permissions.",
            ) from error


def check_name(filename: str) -> None:
    if not filename.strip():
        raise InputError("bad_text", "What is handed over needs a filename.", "Give a filename with the content.")
    if len(filename) > LONGEST_NAME:
        message = f"The filename has {len(filename)} characters."
        raise InputError("long_name", message, f"Use at most {LONGEST_NAME}.")
    if not is_text(filename):
        raise InputError("bad_name", "The filename is not valid text.", "Use letters, digits and punctuation.")

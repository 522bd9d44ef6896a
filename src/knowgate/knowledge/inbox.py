"""Where contents handed to us wait for their task: in the store, so that any process that shares it can do the task."""

from __future__ import annotations

import base64
import io
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from knowgate.errors import DocumentError, InputError
from knowgate.knowledge.sources import is_text, too_large
from knowgate.knowledge.tasks import Tasks
from knowgate.store.port import Batch, Record, Store, scan_all_records

LONGEST_NAME = 1000
_SCHEME = "upload:"
_FORGOTTEN_SECONDS = 3600.0
_PIECE = 3 << 20
"""In bytes: what a cluster takes at once without effort, and a multiple of three, as base64 likes it."""


class Inbox:
    def __init__(self, store: Store, tasks: Tasks, max_bytes: int) -> None:
        self._store = store
        self._tasks = tasks
        self._max_bytes = max_bytes

    def keep(self, content: bytes | BinaryIO) -> str:
        """Put a content where its task finds it; as which source."""
        key = uuid.uuid4().hex
        file = io.BytesIO(content) if isinstance(content, bytes) else content
        head = {"size": 0, "pieces": 0, "at": time.time()}
        unwritten: list[Record] = []
        # The reader refuses what is too large, in words; there is no need to keep all of it.
        while head["size"] <= self._max_bytes and (piece := file.read(_PIECE)):
            if unwritten:
                self._store.apply(Batch(records=[*unwritten, Record("upload", key, head)]))
            data = base64.b64encode(piece).decode()
            unwritten = [Record("upload_piece", _piece(key, int(head["pieces"])), {"data": data})]
            head = {**head, "size": head["size"] + len(piece), "pieces": head["pieces"] + 1}
        self._store.apply(Batch(records=[*unwritten, Record("upload", key, head)]))
        return _SCHEME + key

    def sweep(self) -> None:
        """Clear away what a killed process left."""
        old = time.time() - _FORGOTTEN_SECONDS
        left = {_SCHEME + each.id for each in scan_all_records(self._store, "upload") if each.value["at"] < old}
        if left:
            wanted = (self._tasks.request(task.id).names for task in self._tasks.unfinished())
            self.discard(left - {source for names in wanted for source in names})

    def clear(self, task_id: str) -> None:
        self.discard(self._tasks.request(task_id).names)

    def discard(self, kept: Iterable[str]) -> None:
        for source in filter(is_upload, kept):
            key = source.removeprefix(_SCHEME)
            if head := self._store.record("upload", key):
                pieces = [("upload_piece", _piece(key, number)) for number in range(head.value["pieces"])]
                self._store.apply(Batch(drop=[*pieces, ("upload", key)]))


def is_upload(source: str) -> bool:
    return source.startswith(_SCHEME)


def read_upload(store: Store, source: str, name: str, max_bytes: int) -> tuple[bytes, float]:
    """The content, and when it was handed over."""
    key = source.removeprefix(_SCHEME)
    head = store.record("upload", key)
    if head is not None and head.value["size"] > max_bytes:
        raise too_large(name, max_bytes)
    count = head.value["pieces"] if head else 0
    pieces = [piece for number in range(count) if (piece := store.record("upload_piece", _piece(key, number)))]
    if head is None or len(pieces) < count:
        raise DocumentError("content_gone", f"The content of {name} is not kept any more.", "Hand it over again.")
    return b"".join(base64.b64decode(piece.value["data"]) for piece in pieces), head.value["at"]


def plain_name(filename: str) -> str:
    """A path below a folder is kept; a way out of it, or to a root, is not."""
    return "/".join(part for part in filename.replace("\\", "/").split("/") if part not in ("", ".", ".."))


def check_names(filenames: Sequence[str]) -> None:
    """Of what is handed over together."""
    for filename, count in Counter(filenames).items():
        _check_name(filename)
        if count > 1:
            raise InputError(
                "same_name",
                f"Two files are called {filename}, so that the second would replace the first.",
                "Give one of them another name, such as its path below the folder they lie in.",
            )


def _check_name(filename: str) -> None:
    if not filename.strip():
        raise InputError("bad_text", "What is handed over needs a filename.", "Give a filename with the content.")
    if len(filename) > LONGEST_NAME:
        message = f"The filename has {len(filename)} characters."
        raise InputError("long_name", message, f"Use at most {LONGEST_NAME}.")
    if not is_text(filename):
        raise InputError("bad_name", "The filename is not valid text.", "Use letters, digits and punctuation.")


def _piece(key: str, number: int) -> str:
    return f"{key}/{number:06d}"

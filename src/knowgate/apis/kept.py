"""Answers kept aside for a while, so that what did not fit can be asked for without calling the API again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe
from threading import Lock

from knowgate.errors import InputError, NotFoundError


@dataclass(frozen=True, slots=True)
class Binary:
    data: bytes = field(repr=False)
    mime: str

    def described(self) -> dict[str, str | int]:
        return {"mime": self.mime, "size": len(self.data), "sha256": sha256(self.data).hexdigest()}


class Kept:
    """In memory, the oldest going first when there is too much of it; nobody sees what was kept for another."""

    def __init__(self, max_bytes: int = 64 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._things: OrderedDict[tuple[str, str], Binary] = OrderedDict()
        self._lock = Lock()

    def put(self, owner: str, thing: Binary) -> str:
        """A handle for it."""
        handle = token_urlsafe(12)
        with self._lock:
            self._things[owner, handle] = thing
            self._size += len(thing.data)
            while self._size > self._max_bytes and len(self._things) > 1:
                _, gone = self._things.popitem(last=False)
                self._size -= len(gone.data)
        return handle

    def get(self, owner: str, handle: str) -> Binary:
        with self._lock:
            if (owner, handle) not in self._things:
                fix = "Call the operation again."
                raise NotFoundError("cursor_gone", "That answer is no longer kept.", fix)
            self._things.move_to_end((owner, handle))
            return self._things[owner, handle]


def write_cursor(handle: str, at: str, start: int) -> str:
    return f"{handle}:{start}:{at}"


def read_cursor(cursor: str) -> tuple[str, str, int]:
    """The handle, the JSON pointer and the number to start at."""
    handle, _, rest = cursor.partition(":")
    start, colon, at = rest.partition(":")
    if not colon or not start.isdecimal() or not start.isascii() or len(start) > 12:
        raise InputError("bad_cursor", "That is no cursor.", "Use the cursor as it was given.")
    return handle, at, int(start)

"""A call that is made again does not begin the same work again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import anyio

from knowgate.errors import KnowgateError
from knowgate.tools.backend import Handed, Started
from knowgate.wire import TaskAnswer

_KEPT = 100

Look = Callable[[str], Awaitable[TaskAnswer]]


@dataclass(slots=True)
class _Asked:
    task_id: str = ""
    lock: anyio.Lock = field(default_factory=anyio.Lock)


class Submissions:
    """What was asked for lately, and the task that does it."""

    def __init__(self) -> None:
        self._asked: dict[Hashable, _Asked] = {}

    async def once(self, key: Hashable, submit: Callable[[], Awaitable[str]], look: Look) -> Started:
        """The task that is still at it, else a new one."""
        asked = self._asked.setdefault(key, _Asked())
        async with asked.lock:
            if asked.task_id and await _unfinished(asked.task_id, look):
                return Started(asked.task_id, new=False)
            asked.task_id = await submit()
        # The latest last, so that the oldest is forgotten.
        self._asked[key] = self._asked.pop(key, asked)
        while len(self._asked) > _KEPT:
            del self._asked[next(iter(self._asked))]
        return Started(asked.task_id)

    def forget(self, task_id: str) -> None:
        """Whoever asks from now on means it anew."""
        for asked in self._asked.values():
            if asked.task_id == task_id:
                asked.task_id = ""


def key_of(handed: Handed) -> Hashable:
    """The same for the same content. A file that was changed meanwhile is something else; a folder is what it is."""
    if handed.text is not None:
        return "text", handed.filename, sha256(handed.text.encode("utf-8", "replace")).digest()
    if handed.url:
        return "url", handed.url
    path = Path(handed.path).expanduser().absolute()
    try:
        found = path.stat()
    except OSError:
        return "path", str(path)
    return "path", str(path), None if path.is_dir() else (found.st_mtime_ns, found.st_size)


async def _unfinished(task_id: str, look: Look) -> bool:
    try:
        return (await look(task_id)).status in ("pending", "running")
    except KnowgateError:
        # Gone, or its upload failed; if it only cannot be asked now, the new one will say why.
        return False

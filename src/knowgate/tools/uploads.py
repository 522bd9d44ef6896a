"""Uploads that take longer than a client's patience: they go on, and have a name until they have a task."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine
from typing import Any

from knowgate.wire import TaskAnswer


class Uploads:
    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[str]] = {}

    async def begin(self, upload: Coroutine[Any, Any, str], patience: float) -> str:
        """The id of the task, or a name that stands for it while the upload goes on."""
        work = asyncio.create_task(upload)
        try:
            done, _ = await asyncio.wait({work}, timeout=patience)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if done:
            return work.result()
        name = f"upload-{secrets.token_hex(8)}"
        self._running[name] = work
        return name

    async def task_of(self, name: str, patience: float) -> str | None:
        """The id of the task, once there is one; an id is its own."""
        work = self._running.get(name)
        if work is None:
            return name
        done, _ = await asyncio.wait({work}, timeout=patience)
        if work.cancelled():
            return name  # it was stopped: no task goes by that name, and the server says so
        return work.result() if done else None

    def stop(self, name: str) -> None:
        if work := self._running.pop(name, None):
            work.cancel()


def uploading(name: str) -> TaskAnswer:
    """What a task looks like that is not there yet."""
    return TaskAnswer(name, "ingest", "running", "uploading", 0, 0, 0, 0, 0, 0, 0, "", "", 0.0, {})

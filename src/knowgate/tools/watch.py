"""Waiting for a task, within a client's patience, and telling how far it is meanwhile."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

import anyio

from knowgate.errors import KnowgateError
from knowgate.tools.backend import Backend, Handed
from knowgate.tools.tool import LONGEST_WAIT, Call

if TYPE_CHECKING:
    from knowgate.wire import TaskAnswer

T = TypeVar("T")
_STEP_SECONDS = 2.0
_MARGIN_SECONDS = 1.0
_HEARTBEAT = 0.01
"""Progress must rise from one report to the next, also while one large file is being read."""


def finished(task: TaskAnswer) -> bool:
    return task.status not in ("pending", "running")


async def bring_in(backend: Backend, handed: Handed, wait: bool, call: Call) -> TaskAnswer:
    """Ingest, and wait for the end as long as the caller may be kept waiting for all of it."""
    began = time.monotonic()
    started = await backend.ingest(handed)
    if started.new:
        call.if_cancelled(lambda: backend.cancel(started.task_id))
    left = began + LONGEST_WAIT - _MARGIN_SECONDS - time.monotonic()
    return await watch(backend, started.task_id, left if wait else 0, call)


async def watch(backend: Backend, task_id: str, seconds: float, call: Call) -> TaskAnswer:
    """The task when it is finished, or as it is when the seconds are over."""
    deadline = time.monotonic() + seconds
    told = 0.0
    while True:
        left = deadline - time.monotonic()
        task = await backend.task(task_id, max(0.0, min(_STEP_SECONDS, left)))
        if finished(task) or left <= _STEP_SECONDS:
            return task
        told = max(told + _HEARTBEAT, task.processed_files)
        await call.report(how_far(task), told, task.total_files or None)


def how_far(task: TaskAnswer) -> str:
    return f"{task.phase}: {task.processed_files} of {task.total_files} files"


async def with_heartbeat(call: Call, message: str, work: Awaitable[T]) -> T:
    """Tells every few seconds that the work goes on."""

    async def beat() -> None:
        told = 0
        while True:
            await anyio.sleep(_STEP_SECONDS)
            told += 1
            await call.report(message, told)

    failure: KnowgateError | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(beat)
        try:
            return await work
        except KnowgateError as error:
            # Raised outside: what leaves a group is wrapped in another error.
            failure = error
        finally:
            group.cancel_scope.cancel()
    assert failure
    raise failure

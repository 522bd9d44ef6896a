"""Tasks: how far they are, and ending or repeating them."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Annotated

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool

from knowgate import answers
from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Limit
from knowgate.doors.rest.routes import refusals, subject
from knowgate.engine import Engine
from knowgate.model import Task
from knowgate.wire import TaskAnswer, TaskList

router = subject("tasks")
seed = subject("tasks")
"""Where only OpenRAG's first description has it."""
_HELD_SECONDS = 0.9
"""A client that asks once a second is told of the end of a small file at once."""
_LOOK_SECONDS = 0.05
Wait = Annotated[float, Query(ge=0, le=25, description="Hold the answer so long, or until the task has finished.")]


@router.get("/tasks")
def tasks(engine: Caller, limit: Annotated[Limit, Query()] = 20) -> TaskList:
    """The caller's tasks, newest first, without their files."""
    return TaskList([answers.task(task, []) for task in engine.tasks(limit)])


@router.get("/tasks/{task_id}", responses=refusals(404))
async def task(engine: Caller, request: Request, task_id: str, wait_seconds: Wait = _HELD_SECONDS) -> TaskAnswer:
    """How far a task is, and what became of each file."""
    await wait(engine, request, task_id, wait_seconds)
    return await run_in_threadpool(_answer, engine, task_id)


@seed.get("/documents/tasks/{task_id}", include_in_schema=False)
async def task_of_documents(engine: Caller, request: Request, task_id: str) -> TaskAnswer:
    return await task(engine, request, task_id)


@router.post("/tasks/{task_id}/cancel", responses=refusals(404, 409))
def cancel(engine: Caller, task_id: str) -> TaskAnswer:
    """End a task. What it has brought in stays."""
    engine.cancel(task_id)
    return _answer(engine, task_id)


@router.post("/tasks/{task_id}/retry", status_code=202, responses=refusals(404, 409))
def retry(engine: Caller, task_id: str) -> TaskAnswer:
    """A new task for the same addresses or folders; what has not changed is skipped."""
    return _answer(engine, engine.retry(task_id).id)


async def wait(engine: Engine, request: Request, task_id: str, seconds: float) -> Task:
    """The task when it is finished, or as it is after some seconds or when the server is about to stop."""
    # Many may wait at once, so they do not wait in threads.
    stopping: threading.Event = request.app.state.stopping
    deadline = time.monotonic() + seconds
    pause = _LOOK_SECONDS
    while not (task := await run_in_threadpool(engine.task, task_id)).finished:
        left = deadline - time.monotonic()
        if left <= 0 or stopping.is_set():
            break
        await asyncio.sleep(min(pause, left))
        pause = min(0.5, pause * 1.5)
    return task


def _answer(engine: Engine, task_id: str) -> TaskAnswer:
    return answers.task(engine.task(task_id), engine.task_files(task_id))

"""openrag_get_task_status and openrag_wait_for_task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from knowgate.tools.backend import Backend
from knowgate.tools.text import LONGEST_TEXT, counted, fit
from knowgate.tools.tool import LONGEST_WAIT, Answer, Call, Given, Tool
from knowgate.tools.watch import finished, watch
from knowgate.wire import FileAnswer, TaskAnswer


class StatusInput(Given):
    task_id: Annotated[str, Field(min_length=1, description="From an ingestion.")]


class WaitInput(StatusInput):
    timeout: Annotated[
        float, Field(gt=0, description="Seconds. An answer comes after 25 at the latest; call again to go on waiting.")
    ] = 300


@dataclass(frozen=True, slots=True)
class Status:
    task_id: str
    status: str
    total_files: int
    processed_files: int
    successful_files: int
    failed_files: int
    files: dict[str, str]
    files_left_out: int | None = None


async def _status(backend: Backend, given: StatusInput, _: Call) -> Answer:
    task = await backend.task(given.task_id)
    lines = [
        f"**Task Status: {task.status}**",
        f"Task ID: {task.task_id}",
        f"Total files: {task.total_files}",
        f"Processed: {task.processed_files}",
        f"Successful: {task.successful_files}",
        f"Failed: {task.failed_files}",
    ]
    shown = shape(task)
    return Answer(shown, "\n".join(lines) + _files(shown))


async def _wait(backend: Backend, given: WaitInput, call: Call) -> Answer:
    patience = min(given.timeout, LONGEST_WAIT)
    task = await watch(backend, given.task_id, patience, call)
    shown = shape(task)
    if not finished(task):
        return Answer(shown, f"Task did not complete within {patience:g} seconds.\n\n{still_running(task.task_id)}")
    lines = [
        f"**Task Completed: {task.status}**",
        f"Task ID: {task.task_id}",
        f"Total files: {task.total_files}",
        f"Successful: {task.successful_files}",
        f"Failed: {task.failed_files}",
    ]
    return Answer(shown, "\n".join(lines) + _files(shown))


def still_running(task_id: str) -> str:
    return f"Task {task_id} is still running: call openrag_wait_for_task again to go on waiting."


def shape(task: TaskAnswer) -> Status:
    listed = sorted(task.files.items(), key=lambda item: item[1].status != "failed")
    told = [(name, in_words(file)) for name, file in listed]
    kept = fit(told, lambda each: len(each[0]) + len(each[1]) + 5, LONGEST_TEXT)
    left_out = len(told) - len(kept) + task.files_left_out
    return Status(
        task.task_id,
        task.status,
        task.total_files,
        task.processed_files,
        task.successful_files,
        task.failed_files,
        dict(kept),
        left_out or None,
    )


def in_words(file: FileAnswer) -> str:
    if file.error:
        return f"{file.status}: {file.error} {file.fix or ''}".strip()
    return f"{file.status} ({counted(file.chunks, 'chunk')})" if file.status == "completed" else file.status


def _files(shown: Status) -> str:
    if not shown.files:
        return ""
    lines = [f"\n- {name}: {told}" for name, told in shown.files.items()]
    if shown.files_left_out:
        lines.append(f"\n- ... and {shown.files_left_out} more")
    return "\n\n**File Details:**" + "".join(lines)


GET_TASK_STATUS = Tool(
    name="openrag_get_task_status",
    does="knowgate_task",
    title="Task status",
    description='How far an ingestion task is. Example: {"task_id": "18c2f0a1b2c3d4e5f6a7"}',
    input=StatusInput,
    output=Status,
    run=_status,
)
WAIT_FOR_TASK = Tool(
    name="openrag_wait_for_task",
    does="knowgate_task",
    title="Wait for a task",
    description='Wait until an ingestion task is done. Example: {"task_id": "18c2f0a1b2c3d4e5f6a7"}',
    input=WaitInput,
    output=Status,
    run=_wait,
)

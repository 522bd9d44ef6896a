"""knowgate_ingest and knowgate_task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowgate.errors import InputError
from knowgate.tools.backend import Backend, Handed
from knowgate.tools.text import counted
from knowgate.tools.tool import LONGEST_WAIT, Answer, Call, Given, Hints, Tool
from knowgate.tools.watch import bring_in, finished, watch

if TYPE_CHECKING:
    from knowgate.wire import TaskAnswer

_MOST_FILES = 20


class IngestInput(Given):
    path: Annotated[str | None, Field(min_length=1, description="Absolute path of a file or folder.")] = None
    url: Annotated[str | None, Field(pattern="^https?://", description="A web page or PDF.")] = None
    text: Annotated[str | None, Field(description="With filename: the content itself.")] = None
    filename: Annotated[str | None, Field(min_length=1, description="What the text shall be called: notes.md")] = None
    wait: Annotated[bool, Field(description="Up to 25 seconds; false answers at once.")] = True


class TaskInput(Given):
    task_id: Annotated[str, Field(min_length=1)]
    wait_seconds: Annotated[float, Field(ge=0, le=LONGEST_WAIT)] = 20


@dataclass(frozen=True, slots=True)
class File:
    filename: str
    status: str
    passages: int
    error: str | None = None
    warnings: list[str] | None = None


@dataclass(frozen=True, slots=True)
class TaskState:
    task_id: str
    done: bool
    status: str
    phase: str
    total_files: int
    successful_files: int
    failed_files: int
    files: list[File]
    """Failed ones first."""
    files_left_out: int | None = None
    error: str | None = None


async def _ingest(backend: Backend, given: IngestInput, call: Call) -> Answer:
    handed = _handed(given)
    if handed.path and await backend.path_kind(handed.path) == "missing":
        raise InputError("file_not_found", f"There is no file or folder {handed.path}.", "Give an absolute path.")
    return answer(await bring_in(backend, handed, given.wait, call), failing=True)


async def _task(backend: Backend, given: TaskInput, call: Call) -> Answer:
    return answer(await watch(backend, given.task_id, given.wait_seconds, call), failing=False)


def _handed(given: IngestInput) -> Handed:
    named = [name for name in ("path", "url", "text") if getattr(given, name) is not None]
    if len(named) != 1:
        told = f"{' and '.join(named)} were given together" if named else "Nothing was given"
        raise InputError("one_source", f"{told}.", "Give exactly one of path, url, or text with filename.")
    if (given.text is None) != (given.filename is None):
        raise InputError("bad_text", "text and filename belong together.", "Give both, or neither.")
    return Handed(given.path or "", given.url or "", given.text, given.filename or "")


def answer(task: TaskAnswer, failing: bool) -> Answer:
    shown = shape(task)
    return Answer(shown, render(shown), failed=failing and task.status == "failed")


def shape(task: TaskAnswer) -> TaskState:
    listed = sorted(task.files.items(), key=lambda item: item[1].status != "failed")
    files = [
        File(name, each.status, each.chunks, _error(each.error, each.fix), list(each.warnings) or None)
        for name, each in listed[:_MOST_FILES]
    ]
    left_out = len(listed) - len(files) + task.files_left_out
    return TaskState(
        task.task_id,
        finished(task),
        task.status,
        task.phase,
        task.total_files,
        task.successful_files,
        task.failed_files,
        files,
        left_out or None,
        _error(task.error, task.fix),
    )


def render(shown: TaskState) -> str:
    if shown.done:
        head = f"Task {shown.task_id} is done: {shown.status}."
    else:
        head = f"Task {shown.task_id} goes on ({shown.status}, {shown.phase})."
    counts = f"{counted(shown.total_files, 'file')}: {shown.successful_files} succeeded, {shown.failed_files} failed."
    lines = [f"{head} {counts}"]
    if shown.error:
        lines.append(shown.error)
    lines += [_line(each) for each in shown.files]
    if shown.files_left_out:
        lines.append(f"... and {counted(shown.files_left_out, 'more file')}; knowgate_documents lists what is there.")
    if not shown.done:
        lines.append(
            f'Wait for it with knowgate_task {{"task_id": "{shown.task_id}"}}. What has been read can be searched.'
        )
    return "\n".join(lines)


def _line(file: File) -> str:
    told = f"- {file.filename}: {file.status}"
    if file.status == "completed":
        told += f", {counted(file.passages, 'passage')}"
    return ". ".join([told + (f": {file.error}" if file.error else ""), *(file.warnings or ())])


def _error(error: str | None, fix: str | None) -> str | None:
    return f"{error} {fix or ''}".strip() if error else None


INGEST = Tool(
    name="knowgate_ingest",
    title="Add documents",
    description=(
        "Add or refresh documents: a file or folder of this machine, a web address, or a text. Unchanged files are "
        "skipped, changed ones replaced. Large work goes on after the answer: wait with knowgate_task. "
        'Not for reading one file you can open yourself. Examples: {"path": "/home/ann/handbook"}, '
        '{"text": "# Notes", "filename": "notes.md"}'
    ),
    input=IngestInput,
    output=TaskState,
    run=_ingest,
    scope="write",
    # An older version of a document, or one whose file is gone from its folder, is replaced or removed.
    hints=Hints(read_only=False, destructive=True, idempotent=True, open_world=True),
    pace="ingest",
)
TASK = Tool(
    name="knowgate_task",
    title="Wait for a task",
    description=(
        "How far an ingestion is and what became of each file, waiting until it is done or the seconds are over. "
        'Example: {"task_id": "18c2f0a1b2c3d4e5f6a7"}'
    ),
    input=TaskInput,
    output=TaskState,
    run=_task,
)

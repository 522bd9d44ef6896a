"""openrag_ingest_file, openrag_ingest_url and openrag_delete_document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from knowgate.tools.backend import Backend, Handed
from knowgate.tools.openrag.failures import refusal
from knowgate.tools.openrag.tasks import Status, in_words, shape, still_running
from knowgate.tools.tool import Answer, Call, Given, Hints, Tool
from knowgate.tools.watch import bring_in, finished
from knowgate.wire import TaskAnswer


class FileInput(Given):
    file_path: Annotated[str, Field(min_length=1, description="Absolute path of a file on this machine.")]
    wait: Annotated[bool, Field(description="Wait for the end, 25 seconds at most.")] = True


class UrlInput(Given):
    url: Annotated[str, Field(min_length=1, description="Begins with http:// or https://.")]


class DeleteInput(Given):
    filename: Annotated[str, Field(min_length=1, description="As search results show it.")]


@dataclass(frozen=True, slots=True)
class Deleted:
    success: bool
    filename: str
    deleted_chunks: int


async def _ingest_file(backend: Backend, given: FileInput, call: Call) -> Answer:
    match await backend.path_kind(given.file_path):
        case "missing":
            return refusal(f"File not found: {given.file_path}")
        case "folder":
            return refusal(f"Path is not a file: {given.file_path}")
        case _:
            task = await bring_in(backend, Handed(path=given.file_path), given.wait, call)
    return Answer(shape(task), file_text(task, Path(given.file_path).name), failed=task.status == "failed")


async def _ingest_url(backend: Backend, given: UrlInput, call: Call) -> Answer:
    if not given.url.startswith(("http://", "https://")):
        return refusal("url must start with http:// or https://")
    task = await bring_in(backend, Handed(url=given.url), True, call)
    return Answer(shape(task), url_text(task, given.url), failed=task.status == "failed")


async def _delete(backend: Backend, given: DeleteInput, _: Call) -> Answer:
    gone = await backend.delete(given.filename)
    shown = Deleted(gone.success, given.filename, gone.deleted_chunks)
    if not gone.success:
        return Answer(shown, f"Failed to delete '{given.filename}'.", failed=True)
    return Answer(shown, f"Successfully deleted '{given.filename}' ({gone.deleted_chunks} chunks removed).")


def file_text(task: TaskAnswer, name: str) -> str:
    if not finished(task):
        return (
            f"Successfully queued '{name}' for ingestion.\nTask ID: {task.task_id}\n\n"
            "Use openrag_get_task_status or openrag_wait_for_task to check progress."
        )
    if task.status == "completed":
        text = f"Successfully ingested '{name}'.\nStatus: completed\nSuccessful files: {task.successful_files}"
        return text + (f"\nFailed files: {task.failed_files}" if task.failed_files else "")
    text = (
        f"Ingestion finished with status: {task.status}\n"
        f"Successful files: {task.successful_files}\nFailed files: {task.failed_files}"
    )
    return text + "".join(f"\n- {each}: {in_words(file)}" for each, file in task.files.items())


def url_text(task: TaskAnswer, url: str) -> str:
    if not finished(task):
        told = f"The ingestion of {url} has started. {still_running(task.task_id)}"
    elif task.status == "failed":
        causes = [f"{file.error} {file.fix or ''}".strip() for file in task.files.values() if file.error]
        told = f"{url} could not be ingested: {' '.join(causes) or task.error}"
    elif any(file.status == "skipped" for file in task.files.values()):
        told = f"{url} is in the knowledge base already and has not changed."
    else:
        told = f"{url} was ingested ({sum(file.chunks for file in task.files.values())} chunks)."
    return f"URL ingestion requested.\n\n{told}"


INGEST_FILE = Tool(
    name="openrag_ingest_file",
    does="knowgate_ingest",
    title="Ingest a file",
    description='Add a local file to the knowledge base, or refresh it. Example: {"file_path": "/home/ann/plan.pdf"}',
    input=FileInput,
    output=Status,
    run=_ingest_file,
    scope="write",
    hints=Hints(read_only=False, destructive=True),
    pace="ingest",
)
INGEST_URL = Tool(
    name="openrag_ingest_url",
    does="knowgate_ingest",
    title="Ingest a web page",
    description='Fetch a web page or PDF and add it to the knowledge base. Example: {"url": "https://example.com/a"}',
    input=UrlInput,
    output=Status,
    run=_ingest_url,
    scope="write",
    hints=Hints(read_only=False, destructive=True, open_world=True),
    pace="ingest",
)
DELETE_DOCUMENT = Tool(
    name="openrag_delete_document",
    does="knowgate_delete_document",
    title="Delete a document",
    description='Remove a document from the knowledge base, when the user asked for it. Example: {"filename": "a.pdf"}',
    input=DeleteInput,
    output=Deleted,
    run=_delete,
    scope="write",
    hints=Hints(read_only=False, destructive=True),
)

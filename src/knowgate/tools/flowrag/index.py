"""flowrag_index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowgate.tools.backend import Backend
from knowgate.tools.text import counted
from knowgate.tools.tool import LONGEST_WAIT, Answer, Call, Given, Hints, Tool
from knowgate.tools.watch import finished, watch

if TYPE_CHECKING:
    from knowgate.wire import TaskAnswer

_MOST_FAILED = 20


class IndexInput(Given):
    force: Annotated[bool, Field(description="Read and extract every document again.")] = False


@dataclass(frozen=True, slots=True)
class Indexed:
    documents: int
    chunks: int
    entities: int
    relations: int
    done: bool
    task_id: str
    failed: list[str] | None = None
    """Files that could not be read, each with the reason."""
    warnings: list[str] | None = None


async def _index(backend: Backend, given: IndexInput, call: Call) -> Answer:
    warned = list((await backend.graph_stats()).warnings)
    started = await backend.index(given.force)

    async def undo() -> None:
        await backend.cancel(started.task_id)

    if started.new:
        call.if_cancelled(undo)
    task = await watch(backend, started.task_id, LONGEST_WAIT, call)
    counts = await backend.graph_stats()
    failed = [f"{name}: {each.error} {each.fix or ''}".strip() for name, each in task.files.items() if each.error]
    warnings = warned if not finished(task) else list(counts.warnings)
    shown = Indexed(
        counts.documents,
        counts.chunks,
        counts.entities,
        counts.relations,
        finished(task),
        task.task_id,
        failed or None,
        warnings or None,
    )
    return Answer(shown, _render(shown, task), failed=task.status == "failed")


def _render(shown: Indexed, task: TaskAnswer) -> str:
    totals = (
        f"Indexed {shown.documents} documents, {shown.chunks} chunks, "
        f"{shown.entities} entities, {shown.relations} relations"
    )
    lines = [totals]
    if not shown.done:
        lines.append(f"Still indexing ({task.successful_files} of {task.total_files} files). Call again to go on.")
    if task.error:
        lines.append(f"Error: {task.error} {task.fix or ''}".strip())
    lines += [f"Failed: {each}" for each in (shown.failed or [])[:_MOST_FAILED]]
    if shown.failed and len(shown.failed) > _MOST_FAILED:
        lines.append(f"... and {counted(len(shown.failed) - _MOST_FAILED, 'more file')}")
    lines += [f"Warning: {each}" for each in shown.warnings or ()]
    return "\n".join(lines)


INDEX = Tool(
    name="flowrag_index",
    does="knowgate_ingest",
    title="Index documents",
    description=(
        "Bring the index up to date with the configured docs folder: new and changed files are read, vanished ones "
        'removed, unchanged ones skipped. Answers within 25 seconds; call again to wait on. Example: {"force": false}'
    ),
    input=IndexInput,
    output=Indexed,
    run=_index,
    scope="write",
    hints=Hints(read_only=False, destructive=True, idempotent=True),
    pace="ingest",
)

"""`knowgate tasks`: long work that is kept on disk."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import one_line, told
from knowgate.cli.sizes import ago, some
from knowgate.cli.work import conclude, finish_interrupted, follow, summarise
from knowgate.model import Task

app = typer.Typer(help="Look at long work, cancel it, finish it.")

Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="How many tasks are listed; not set, 20.")
]
_LISTED = 20
TaskId = Annotated[str, typer.Argument(metavar="ID", help="A task's id.")]


@app.callback(invoke_without_command=True)
def tasks(
    ctx: typer.Context, limit: Limit = None, config: Config = None, data: Data = None, json: Json = False
) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand is None:
        list_tasks(ctx, limit)
    elif limit and ctx.invoked_subcommand != "list":
        raise typer.BadParameter("--limit is for the list of tasks.", ctx)


@app.command("list")
def list_tasks(
    ctx: typer.Context, limit: Limit = None, config: Config = None, data: Data = None, json: Json = False
) -> None:
    """List the tasks, newest first."""
    call = Call.of(ctx, config, data, json)
    before: int | None = ctx.parent.params.get("limit") if ctx.parent else None
    with call.engine() as engine:
        found = engine.tasks(limit or before or _LISTED)
        left = {task.id for task in engine.interrupted()}
    if call.json:
        call.screen.answer({"tasks": [{**told(task), "interrupted": task.id in left} for task in found]})
        return
    if not found:
        call.screen.note("There are no tasks yet. Index something: knowgate ingest FOLDER")
        return
    columns = ("task", "what", "status", "files", "failed", "updated", "sources")
    rows = [_row(task, task.id in left) for task in found]
    call.screen.table(
        columns, rows, numbers=("files", "failed"), whole=("sources",), extra=("what", "failed", "updated")
    )
    if left:
        call.screen.note(f"Finish what was interrupted: {call.command('tasks', 'resume')}")


def _row(task: Task, interrupted: bool) -> tuple[str, ...]:
    vectors = f" {task.embedded}/{task.passages}" if task.stage == "embedding" and task.passages else ""
    stage = task.status if task.finished else f"{task.status}: {task.stage}{vectors}"
    status = "interrupted" if interrupted else stage
    files = f"{task.processed}/{task.total}" if task.kind == "ingest" else ""
    sources = some([one_line(source) for source in task.sources])
    return task.id, task.kind, status, files, str(task.failed or ""), ago(time.time() - task.updated_at), sources


@app.command()
def show(ctx: typer.Context, id: TaskId, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Show how far a task is and what became of its files."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        task, files = engine.task(id), engine.task_files(id)
    if call.json:
        call.screen.answer({"task": task, "files": files})
        return
    about = {**told(task), "sources": some([one_line(source) for source in task.sources])}
    shown = ("id", "kind", "status", "stage", "sources", "total")
    call.screen.table(("task", ""), [(name, str(about[name])) for name in shown])
    call.screen.show()
    summarise(call.screen, task, files)


@app.command()
def cancel(ctx: typer.Context, id: TaskId, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Stop a task; what it has done is kept."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        task = engine.cancel(id)
    if call.json:
        call.screen.answer({"task": task})
    else:
        call.screen.show(f"Task {id} is cancelled." if task.finished else f"Task {id} stops after the file it is at.")


@app.command()
def resume(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Finish the tasks that were interrupted."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        left = engine.interrupted()
        finished = finish_interrupted(call.screen, engine, left)
        if call.json:
            call.screen.answer({"tasks": finished})
        elif not left:
            call.screen.note("No task was interrupted.")
        else:
            for task in finished:
                summarise(call.screen, task, engine.task_files(task.id))


@app.command()
def run(
    ctx: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Tasks' ids.")],
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Do tasks here, or watch the process that is at them."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        *first, last = [engine.task(id) for id in ids]
        finish_interrupted(call.screen, engine, [task for task in first if not task.finished])
        task = follow(call.screen, engine, last.id)
        conclude(call.screen, task, engine.task_files(task.id))

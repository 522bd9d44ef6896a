"""Doing a task while somebody watches, and saying what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from knowgate.cli import failure
from knowgate.cli.progress import progress
from knowgate.cli.screen import Screen, one_line
from knowgate.errors import KnowgateError, StorageError
from knowgate.model import Task, TaskFile

if TYPE_CHECKING:
    from knowgate.engine import Engine

_MOST_WARNINGS = 10


def follow(screen: Screen, engine: Engine, task_id: str) -> Task:
    """Do the task, or watch the process that does it."""
    try:
        with progress(screen) as report:
            return engine.run(task_id, report)
    except KeyboardInterrupt:
        stopped = {
            "error": f"Stopped. What is done is kept, task {task_id} is not finished.",
            "code": "interrupted",
            "fix": "`knowgate tasks resume` or the next `knowgate ingest` finishes it.",
        }
        failure.show(stopped, screen.json)
        raise typer.Exit(failure.INTERRUPTED) from None


def finish_interrupted(screen: Screen, engine: Engine, tasks: Sequence[Task]) -> list[Task]:
    """Take up what earlier processes left; one that cannot be done does not stand in the way of the rest."""
    done: list[Task] = []
    for task in tasks:
        screen.note(f"Finishing task {task.id}, which was interrupted: {_called(task)}.")
        try:
            done.append(follow(screen, engine, task.id))
        except StorageError:
            raise
        except KnowgateError as error:
            screen.warn(f"Task {task.id} failed. {error}")
            done.append(engine.task(task.id))
    return done


def _called(task: Task) -> str:
    return "new vectors" if task.kind == "reembed" else ", ".join(map(one_line, task.sources))


def conclude(screen: Screen, task: Task, files: Sequence[TaskFile]) -> None:
    """Show what became of a finished task; ends the command with its exit code when not all of it was done."""
    if screen.json:
        screen.answer({"task": task, "files": files})
    else:
        summarise(screen, task, files)
    if task.failed or task.error or task.status != "completed":
        raise typer.Exit(failure.INCOMPLETE)


def summarise(screen: Screen, task: Task, files: Sequence[TaskFile]) -> None:
    if task.kind == "ingest":
        counts = [str(count) for count in (task.completed, task.skipped, task.failed, task.removed)]
        names = ("indexed", "unchanged", "failed", "removed")
        screen.table(names, [counts], numbers=names)
    failed = [file for file in files if file.error]
    if failed:
        screen.show()
        rows = [(file.name, *((file.error or {})[part] for part in ("error", "fix"))) for file in failed]
        screen.table(("failed", "why", "what to do"), rows)
    warned = [f"{file.name}: {warning}" for file in files for warning in file.warnings]
    for warning in warned[:_MOST_WARNINGS]:
        screen.warn(warning)
    if len(warned) > _MOST_WARNINGS:
        screen.warn(f"… and {len(warned) - _MOST_WARNINGS} more: knowgate tasks show {task.id}")
    if task.status == "cancelled":
        screen.warn("The task was cancelled; what it had done before is kept.")
    if task.error:
        screen.warn(f"{task.error['error']} {task.error['fix']}")

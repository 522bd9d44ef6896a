"""Doing a task while somebody watches, and saying what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from knowgate.cli import failure
from knowgate.cli.progress import progress
from knowgate.cli.screen import Screen, clean, one_line
from knowgate.cli.sizes import counted, some
from knowgate.errors import KnowgateError, StorageError
from knowgate.model import Task, TaskFile

if TYPE_CHECKING:
    from knowgate.engine import Engine

_MOST_WARNINGS = 10


def follow(screen: Screen, engine: Engine, task_id: str) -> Task:
    """Do the task, or watch the process that does it."""
    if not engine.task(task_id).finished and not _nobody_is_at(engine, task_id):
        screen.note(f"Waiting for task {task_id}, which another process is running.")
    try:
        with progress(screen) as report:
            return engine.run(task_id, report)
    except KeyboardInterrupt:
        kept = f"What is done is kept, task {task_id} is not finished."
        fix = "`knowgate tasks resume` or the next `knowgate ingest` finishes it."
        raise typer.Exit(failure.interrupted(kept, fix, screen.json)) from None


def finish_interrupted(screen: Screen, engine: Engine, tasks: Sequence[Task]) -> list[Task]:
    """Take up what earlier processes left; one that cannot be done does not stand in the way of the rest."""
    done: list[Task] = []
    for task in tasks:
        if _nobody_is_at(engine, task.id):
            screen.note(f"Finishing task {task.id}, which was interrupted: {called(task)}.")
        try:
            done.append(follow(screen, engine, task.id))
        except StorageError:
            raise
        except KnowgateError as error:
            screen.warn(f"Task {task.id} failed. {error}")
            done.append(engine.task(task.id))
    return done


def _nobody_is_at(engine: Engine, task_id: str) -> bool:
    return task_id in {task.id for task in engine.interrupted()}


def called(task: Task) -> str:
    return "new vectors" if task.kind == "reembed" else some([one_line(source) for source in task.sources])


def conclude(screen: Screen, task: Task, files: Sequence[TaskFile]) -> None:
    """Show what became of a finished task; ends the command with its exit code when not all of it was done."""
    tell(screen, task, files)
    settle(task)


def tell(screen: Screen, task: Task, files: Sequence[TaskFile]) -> None:
    if screen.json:
        screen.answer({"task": task, "files": files})
    else:
        summarise(screen, task, files)


def settle(task: Task) -> None:
    """Ends the command with its exit code when not all of the task was done."""
    if task.failed or task.error or task.status != "completed":
        raise typer.Exit(failure.INCOMPLETE)


def summarise(screen: Screen, task: Task, files: Sequence[TaskFile]) -> None:
    if task.kind == "ingest":
        counts = {
            "indexed": task.completed,
            "unchanged": task.skipped,
            **({"ignored": task.ignored} if task.ignored else {}),
            "failed": task.failed,
            "removed": task.removed,
        }
        screen.table(tuple(counts), [[str(count) for count in counts.values()]], numbers=tuple(counts))
        if task.finished and task.total == task.ignored:
            screen.warn(f"There is nothing to index in {called(task)}.")
    if task.model_use:
        screen.note(f"The model was asked for entities and relations: {task.model_use}.")
    _failures(screen, [file for file in files if file.status == "failed"])
    _ignored(screen, [file for file in files if file.status == "ignored"])
    warned = [f"{file.name}: {warning}" for file in files for warning in file.warnings]
    for warning in warned[:_MOST_WARNINGS]:
        screen.warn(warning)
    if len(warned) > _MOST_WARNINGS:
        screen.warn(f"… and {len(warned) - _MOST_WARNINGS} more: knowgate tasks show {task.id}")
    if task.status == "cancelled":
        screen.warn("The task was cancelled; what it had done before is kept.")
    if task.error:
        screen.warn(f"{task.error['error']} {task.error['fix']}")


def _failures(screen: Screen, files: Sequence[TaskFile]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    for file in files:
        error = file.error or {}
        screen.show()
        screen.show(Text(f"Failed: {one_line(file.name)}"))
        why = f"{error.get('error', '')} {error.get('fix', '')}"
        screen.show(Padding(Text(clean(why)), (0, 0, 0, 2), expand=False))


def _ignored(screen: Screen, files: Sequence[TaskFile]) -> None:
    """A line for each reason: a folder may hold thousands of pictures."""
    reasons: dict[str, list[str]] = {}
    for file in files:
        reasons.setdefault((file.error or {}).get("error", "It is no document."), []).append(one_line(file.name))
    for reason, names in sorted(reasons.items(), key=lambda each: -len(each[1])):
        screen.note(f"Ignored {counted(len(names), 'file')} ({some(names)}): {reason}")

"""`knowgate ingest` and `knowgate reembed`: documents in, vectors anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli import background as processes
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.progress import progress
from knowgate.cli.screen import Screen
from knowgate.cli.sizes import counted
from knowgate.cli.work import conclude, finish_interrupted, follow, settle, summarise, tell
from knowgate.errors import InputError
from knowgate.model import Task

if TYPE_CHECKING:
    from knowgate.config.load import Loaded
    from knowgate.engine import Engine

_STDIN = "-"

Background = Annotated[
    bool, typer.Option("--background", help="Do it in a process of its own and print the task's id.")
]


def ingest(
    ctx: typer.Context,
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders or addresses; - reads a text from stdin. None: the configured docs."),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What the text from stdin is called, such as notes.md.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Read again what has not changed.")] = False,
    background: Background = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Index files, folders and web pages.

    What has not changed is skipped, what is gone from a folder is removed, and one bad file never stops the rest.
    """
    call = Call.of(ctx, config, data, json)
    loaded = call.load()
    from knowgate.engine import Engine

    with Engine(loaded.settings) as engine:
        if not sources and not loaded.settings.docs:
            left = engine.interrupted()
            if left or engine.stats().pending:
                _finish_all(call.screen, engine, left)
                return
        task = _submit(engine, sources or [], name, force)
        left = [each for each in engine.interrupted() if each.id != task.id]
        if background:
            _leave(call, loaded, [task, *left])
            return
        task = follow(call.screen, engine, task.id)
        tell(call.screen, task, engine.task_files(task.id))
        finish_interrupted(call.screen, engine, left)
        settle(task)
        if task.completed or task.skipped:
            call.screen.note(f"Try: {call.command('search', 'a question')}")


def _finish_all(screen: Screen, engine: Engine, left: list[Task]) -> None:
    """Nothing new was named, but there is something to finish: tasks, or vectors after an import."""
    finished = finish_interrupted(screen, engine, left)
    with progress(screen) as report:
        engine.embed_pending(report)
    vectors = engine.stats().vectors
    if screen.json:
        screen.answer({"tasks": finished, "vectors": vectors})
        return
    for task in finished:
        summarise(screen, task, engine.task_files(task.id))
    screen.note(_with_vectors(vectors))


def _with_vectors(count: int) -> str:
    return f"{counted(count, 'passage')} {'has' if count == 1 else 'have'} vectors."


def _submit(engine: Engine, sources: list[str], name: str, force: bool) -> Task:
    if _STDIN not in sources:
        if name:
            raise InputError("bad_name", "--name is for a text from stdin.", "Leave it out, or give - as the source.")
        return engine.submit(sources, force=force)
    if len(sources) > 1:
        raise InputError("bad_source", "- cannot be mixed with other sources.", "Ingest them one after the other.")
    if not name.strip():
        raise InputError("name_missing", "A text from stdin needs a name.", "Add --name, such as --name notes.md.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "not_text", "What came from stdin is not UTF-8 text.", "Save it to a file and ingest the file."
        ) from error
    return engine.submit(text=text, filename=name, force=force)


def reembed(
    ctx: typer.Context,
    background: Background = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Make the vectors anew with the configured embedder.

    Needed after another embedder is configured. Keyword search goes on meanwhile.
    """
    call = Call.of(ctx, config, data, json)
    loaded = call.load()
    from knowgate.engine import Engine

    with Engine(loaded.settings) as engine:
        task = engine.submit_reembed()
        if background:
            _leave(call, loaded, [task])
            return
        task = follow(call.screen, engine, task.id)
        conclude(call.screen, task, [])
        call.screen.note(_with_vectors(engine.stats().vectors))


def _leave(call: Call, loaded: Loaded, tasks: list[Task]) -> None:
    log: Path = processes.start(loaded, [task.id for task in tasks])
    task = tasks[0]
    if call.json:
        call.screen.answer({"task": task, "log": log})
        return
    call.screen.show(task.id)
    call.screen.note(f"It runs in the background. Look at it: {call.command('tasks', 'show', task.id)}")

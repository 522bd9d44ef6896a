"""`knowgate watch`: folders are kept indexed while they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data
from knowgate.cli.screen import Screen, one_line
from knowgate.cli.sizes import counted
from knowgate.cli.work import finish_interrupted, follow
from knowgate.errors import InputError, KnowgateError, StorageError

if TYPE_CHECKING:
    from knowgate.engine import Engine

_LOOK_MILLISECONDS = 500
_GATHER_MILLISECONDS = 1_000
"""Changes that come closer together than this are taken up together."""


def watch(
    ctx: typer.Context,
    folders: Annotated[list[Path] | None, typer.Argument(help="Folders to watch. None: the configured docs.")] = None,
    config: Config = None,
    data: Data = None,
) -> None:
    """Keep folders indexed while they change.

    They are indexed first, and again whenever something in them changes. Ctrl-C ends it.
    """
    call = Call.of(ctx, config, data)
    with call.engine() as engine:
        roots = _roots(folders or list(engine.settings.docs))
        try:
            _watch(call.screen, engine, roots)
        except (KeyboardInterrupt, typer.Exit):
            call.screen.note("Stopped watching.")


def _watch(screen: Screen, engine: Engine, roots: Sequence[Path]) -> None:
    from watchfiles import Change
    from watchfiles import watch as changes

    counts = ignoring(roots, engine.settings.ingest.exclude, engine.settings.data.resolve())
    looks = changes(
        *roots,
        watch_filter=lambda _, path: counts(Path(path)),
        step=_GATHER_MILLISECONDS,
        debounce=10 * _GATHER_MILLISECONDS,
        rust_timeout=_LOOK_MILLISECONDS,
        yield_on_timeout=True,
    )
    # The first look is empty; it starts the watch, so that nothing is missed during the first ingest.
    next(looks)
    finish_interrupted(screen, engine, engine.interrupted())
    for root in roots:
        _take_up(screen, engine, root, ())
    screen.note(f"Watching {', '.join(map(str, roots))}; Ctrl-C ends it.")
    for found in looks:
        changed = [(change, Path(path)) for change, path in found]
        for root in roots:
            here = [(change, path) for change, path in changed if path.is_relative_to(root)]
            if here:
                gone = [path.relative_to(root).as_posix() for change, path in here if change is Change.deleted]
                _take_up(screen, engine, root, gone)


def _take_up(screen: Screen, engine: Engine, root: Path, gone: Iterable[str]) -> None:
    """Ingest the folder and say what was new; what cannot be done now is tried again at the next change."""
    try:
        task = follow(screen, engine, engine.submit([root]).id)
    except StorageError:
        raise
    except KnowgateError as error:
        screen.warn(str(error))
        return
    files = engine.task_files(task.id)
    # A record of every look at every file would soon outgrow the index.
    engine.forget(task.id)
    for file in files:
        if file.status == "failed" and file.error:
            _say(screen, "failed", f"{file.name}: {file.error['error']} {file.error['fix']}")
        elif file.status == "completed":
            _say(screen, "indexed", f"{file.name} ({counted(file.chunks, 'passage')})")
    if task.removed:
        for name in sorted(gone):
            _say(screen, "removed", name)
    if task.error:
        screen.warn(f"{task.error['error']} {task.error['fix']}")


def _say(screen: Screen, what: str, text: str) -> None:
    screen.show(f"{datetime.now().astimezone():%H:%M:%S} {what:8} {one_line(text)}")


def _roots(folders: Sequence[Path]) -> list[Path]:
    from knowgate.knowledge.sources import resolve

    if not folders:
        raise InputError("nothing_to_watch", "No folder was named.", "Name one, or set docs in knowgate.toml.")
    found = [resolve(folder) for folder in folders]
    for folder in found:
        if not folder.is_dir():
            raise InputError("not_a_folder", f"{folder} is not a folder.", "Watch the folder that it lies in.")
    return [root for root in dict.fromkeys(found) if not any(root.is_relative_to(o) for o in found if o != root)]


def ignoring(roots: Sequence[Path], exclude: Sequence[str], data: Path) -> Callable[[Path], bool]:
    """Whether a change counts: what is hidden or excluded is not indexed, and our own folder always changes."""
    from knowgate.folders import left_out

    def counts(path: Path) -> bool:
        if path.is_relative_to(data):
            return False
        root = next((root for root in roots if path.is_relative_to(root)), None)
        return root is not None and (path == root or not left_out(path, root, exclude))

    return counts

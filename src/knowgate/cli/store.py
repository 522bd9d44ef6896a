"""`knowgate store`: move the whole index between the data folder and a cluster."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from knowgate.cli import failure
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.progress import counting
from knowgate.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from knowgate.config.settings import Settings
    from knowgate.config.settings import Store as StoreSettings

app = typer.Typer(help="Where the index is kept.", no_args_is_help=True)
_CLUSTER = re.compile(r"opensearch(s?)://([^/\s@]+)(?:/([a-z0-9][a-z0-9_.-]*))?/?")
_KINDS = (
    "key", "filter", "chat", "chat_message", "entity_name", "extraction", "approval", "switch", "spending", "api_pin",
    "wary_of", "upload", "upload_piece", "task", "task_file", "task_open", "task_cancel",
)  # fmt: skip
"""All but what belongs to a process at work, or to the store itself."""
_WHERE = "A folder, or opensearch://HOST:PORT/PREFIX (opensearchs:// with TLS)"


@app.callback()
def store() -> None:
    """Where the index is kept."""


@app.command()
def copy(
    ctx: typer.Context,
    to: Annotated[str, typer.Option("--to", metavar="PLACE", help=f"{_WHERE}.")],
    from_: Annotated[
        str, typer.Option("--from", metavar="PLACE", help=f"{_WHERE}; not given, the configured store.")
    ] = "",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also into an index that holds something: what both have is replaced.")
    ] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Copy everything into another store, and compare what has arrived.

    Documents, passages, vectors, facts, keys, chats, filters and tasks. Interrupted, it goes on where it was. User,
    password and certificates of the cluster are those of the configuration.
    """
    from knowgate.rooms import open_store, store_exists
    from knowgate.store.copy import claim, release
    from knowgate.store.copy import copy as copy_store

    call = Call.of(ctx, config, data, json)
    settings = call.load().settings
    origin, goal = _place(settings, from_), _place(settings, to)
    if origin.name == goal.name:
        raise InputError("same_place", "Both places are the same.", "Give another one with --to.")
    if not store_exists(*origin.how):
        raise NotFoundError("no_index", f"There is no index in {origin.name}.", "Is the folder or the prefix right?")
    with closing(open_store(*origin.how)) as source, closing(open_store(*goal.how)) as target:
        if not overwrite:
            claim(target, origin.name, _KINDS)
        try:
            with counting(call.screen, "copying") as report_progress:
                report = copy_store(source, target, _KINDS, report_progress)
        except KeyboardInterrupt:
            fix = "The same command goes on where it was."
            raise typer.Exit(failure.interrupted("What is copied is kept.", fix, call.json)) from None
        release(target)
    if call.json:
        call.screen.answer(asdict(report))
    else:
        counts: dict[str, object] = {**asdict(report), **report.records}
        del counts["records"]
        rows = [(name.replace("_", " "), str(value)) for name, value in counts.items()]
        call.screen.table((f"Copied to {to}", ""), rows, numbers=("",))
        if goal.how[0].provider == "opensearch" and settings.store.provider != "opensearch":
            chosen = goal.how[0]
            call.screen.note(
                f'To use it, write into knowgate.toml:\n[store]\nprovider = "opensearch"\n'
                f'url = ["{chosen.url[0]}"]\nprefix = "{chosen.prefix}"'
            )


class _Place(NamedTuple):
    name: str
    how: tuple[StoreSettings, Path]


def _place(settings: Settings, given: str) -> _Place:
    from knowgate.rooms import with_login

    chosen, data = with_login(settings), settings.data
    if found := _CLUSTER.fullmatch(given):
        url = f"http{found[1]}://{found[2]}"
        changes = {"provider": "opensearch", "url": (url,), "prefix": found[3] or chosen.prefix}
        chosen = chosen.model_copy(update=changes)
    elif "://" in given:
        # It may hold a password.
        fix = f"{_WHERE}. User and password go into the configuration: store.user, store.password."
        raise InputError("bad_place", f"{given.partition('://')[0]}://… is no place for an index.", fix)
    elif given:
        chosen, data = chosen.model_copy(update={"provider": "sqlite"}), Path(given).expanduser()
    on_disk = chosen.provider == "sqlite"
    return _Place(str(data.resolve()) if on_disk else f"{chosen.url[0]}/{chosen.prefix}", (chosen, data))

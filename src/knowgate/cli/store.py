"""`knowgate store`: move the whole index between the data folder and a cluster."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.progress import counting
from knowgate.errors import InputError

if TYPE_CHECKING:
    from knowgate.config.settings import Settings
    from knowgate.store.port import Store

app = typer.Typer(help="Where the index is kept.", no_args_is_help=True)
_PLACE = re.compile(r"opensearch(s?)://([^/\s@]+)(?:/([a-z0-9][a-z0-9_.-]*))?/?")
_KINDS = (
    "key", "filter", "chat", "chat_message", "entity_name", "extraction", "approval", "switch", "spending", "api_pin",
    "wary_of", "task", "task_file", "task_open", "task_cancel",
)  # fmt: skip
"""All but what belongs to a process at work, or to the store itself."""
_Place = "A folder, or opensearch://HOST:PORT/PREFIX (opensearchs:// with TLS)"


@app.callback()
def store() -> None:
    """Where the index is kept."""


@app.command()
def copy(
    ctx: typer.Context,
    to: Annotated[str, typer.Option("--to", metavar="PLACE", help=f"{_Place}.")],
    from_: Annotated[
        str, typer.Option("--from", metavar="PLACE", help=f"{_Place}; not given, the configured store.")
    ] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Copy everything into another store, and compare what has arrived.

    Documents, passages, vectors, facts, keys, chats, filters and tasks. Interrupted, it goes on where it was. User,
    password and certificates of the cluster are those of the configuration.
    """
    from knowgate.store.copy import copy as copy_store

    call = Call.of(ctx, config, data, json)
    settings = call.load().settings
    source, target = _open(settings, from_), _open(settings, to)
    try:
        with counting(call.screen, "exporting") as report_progress:
            report = copy_store(source, target, _KINDS, report_progress)
    finally:
        source.close()
        target.close()
    if call.json:
        call.screen.answer(asdict(report))
    else:
        counts: dict[str, object] = {**asdict(report), **report.records}
        del counts["records"]
        rows = [(name.replace("_", " "), str(value)) for name, value in counts.items()]
        call.screen.table((f"Copied to {to}", ""), rows, numbers=("",))


def _open(settings: Settings, place: str) -> Store:
    from knowgate.rooms import open_store, with_login

    chosen = with_login(settings)
    if not place:
        return open_store(chosen, settings.data)
    if found := _PLACE.fullmatch(place):
        url = f"http{found[1]}://{found[2]}"
        changes = {"provider": "opensearch", "url": (url,), "prefix": found[3] or chosen.prefix}
        return open_store(chosen.model_copy(update=changes), settings.data)
    if "://" in place:
        raise InputError("bad_place", f"{place} is no place for an index.", f"{_Place}.")
    return open_store(chosen.model_copy(update={"provider": "sqlite"}), Path(place).expanduser())

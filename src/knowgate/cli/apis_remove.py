"""`knowgate apis remove`: an API is taken out of the configuration, the index and the graph."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.errors import NotFoundError

if TYPE_CHECKING:
    from knowgate.engine import Engine

_NAMED = 5


def remove(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The API.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Take an API out of knowgate.toml, the index and the graph. Its credentials stay where they are."""
    call = Call.of(ctx, config, data, json)
    from knowgate.config.add import remove_table
    from knowgate.config.trust import not_trusted, trust

    loaded = call.load()
    if loaded.file and loaded.ignored:
        raise not_trusted(loaded.file)
    if name not in loaded.settings.apis or loaded.file is None:
        raise NotFoundError("api_not_found", f"There is no API {name!r}.", "See `knowgate apis list`.")
    file = loaded.file

    def unconfigure() -> None:
        remove_table(file, ("apis", name))
        trust(file)

    with call.engine() as engine:
        renamed = engine.rooms.apis.catalogue.renamed_without(name)
        _tell_of_names(call, engine, renamed)
        if not yes:
            told = partial(engine.turn_away, "remove_api")
            ask_a_person(f"Remove {name} from {file}?", "Run it in a terminal, or add --yes.", told=told)
        engine.remove_api(name, unconfigure)
    if call.json:
        call.screen.answer({"removed": name, "file": str(file), "renamed": renamed})
        return
    call.screen.show(f"{name} is removed from {file}.")
    call.screen.note("A server that runs offers it until it is started again.")


def _tell_of_names(call: Call, engine: Engine, renamed: Mapping[str, str]) -> None:
    """Rules of the policy go by them."""
    by_api: dict[str, list[str]] = {}
    for before, after in renamed.items():
        api = engine.rooms.apis.catalogue.entry(before).api
        by_api.setdefault(api, []).append(f"{before} becomes {after}")
    for api, names in by_api.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        call.screen.tell(
            f"Operations of {api} get other names: {', '.join(names[:_NAMED])}{more}. "
            f"They wait then until you run: {call.command('apis', 'accept', api)}"
        )

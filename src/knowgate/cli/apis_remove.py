"""`knowgate apis remove`: an API is taken out of the configuration, the index and the graph."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.errors import NotFoundError


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
        if not yes:
            told = partial(engine.turn_away, "remove_api")
            ask_a_person(f"Remove {name} from {file}?", "Run it in a terminal, or add --yes.", told=told)
        engine.remove_api(name, unconfigure)
    if call.json:
        call.screen.answer({"removed": name, "file": str(file)})
        return
    call.screen.show(f"{name} is removed from {file}.")
    call.screen.note("A server that runs offers it until it is started again.")

"""`knowgate config`: the settings in force."""

from __future__ import annotations

from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import Tail


def config(
    ctx: typer.Context,
    example: Annotated[bool, typer.Option("--example", help="Print a complete knowgate.toml to begin with.")] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Print every setting in force and where its value came from."""
    call = Call.of(ctx, config, data, json)
    from knowgate.config.settings import Settings
    from knowgate.config.show import as_toml, describe

    if example:
        typer.echo(as_toml(Settings()), nl=False)
        return
    loaded = call.load()
    rows = describe(loaded)
    if call.json:
        call.screen.answer({"file": loaded.file, "settings": rows})
        return
    # The value stands last: a long list of one setting must not push the others' origins out of sight.
    table = [(row.key, Tail(row.origin), row.value) for row in rows]
    call.screen.table(("setting", "from", "value"), table, long=("from", "value"))
    call.screen.note(f"File: {loaded.file}" if loaded.file else "There is no knowgate.toml; defaults are in force.")

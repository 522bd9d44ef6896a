"""`knowgate apis accept`: a person looks at what was changed in a description."""

from __future__ import annotations

from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.cli.screen import one_line
from knowgate.cli.sizes import counted
from knowgate.errors import NotFoundError

_LONGEST = 300


def accept(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The API.")],
    operations: Annotated[
        list[str] | None, typer.Argument(metavar="OPERATION", help="Only these, by id; else all that wait.")
    ] = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Let operations be used that are new or changed in an API's description. Asks at the terminal."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        held = {each.entry.id: each for each in engine.held_operations(name)}
        wanted = list(dict.fromkeys(operations or held))
        for id in wanted:
            if id not in held:
                raise NotFoundError("operation_not_found", f"{id} does not wait for you.", "See `knowgate apis list`.")
        for id in wanted:
            entry, why, description = held[id].entry, held[id].why, one_line(held[id].description)
            call.screen.note(f"{id} ({why}): {entry.method} {entry.path}  {one_line(entry.summary)}")
            if description:
                call.screen.note(f"  {description[:_LONGEST]}{' …' if len(description) > _LONGEST else ''}")
        if wanted:
            ask_a_person(f"Let assistants use {counted(len(wanted), 'operation')} of {name} as described now?")
            engine.accept_operations(name, wanted)
    if call.json:
        call.screen.answer({"api": name, "accepted": wanted})
    else:
        call.screen.show(f"{counted(len(wanted), 'operation')} accepted." if wanted else "Nothing waits for you.")

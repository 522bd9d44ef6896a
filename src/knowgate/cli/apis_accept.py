"""`knowgate apis accept`: a person looks at what was changed in a description."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.cli.screen import one_line
from knowgate.cli.sizes import counted
from knowgate.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from knowgate.engine import Engine

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
    """Let operations be used that are new, changed or renamed in an API's description. Asks at the terminal."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        held = {each.entry.id: each for each in engine.held_operations(name)}
        wanted = list(dict.fromkeys(operations or held))
        for id in wanted:
            if id not in held:
                raise NotFoundError("operation_not_found", f"{id} does not wait for you.", "See `knowgate apis list`.")
        for id in wanted:
            entry, why, description = held[id].entry, held[id].why, one_line(held[id].description)
            call.screen.tell(f"{id} ({why}): {entry.method} {entry.path}  {one_line(entry.summary)}")
            if why == "renamed":
                call.screen.tell(f"  It had another name. Rules of the policy that name {id} are for it from now on.")
            if description:
                call.screen.tell(f"  {description[:_LONGEST]}{' …' if len(description) > _LONGEST else ''}")
        suspicious = engine.suspicious_operations(name)
        tell_of_orders(call, {id: words for id, words in suspicious.items() if id in wanted})
        if wanted:
            many = f"{counted(len(wanted), 'operation')} of {name}"
            question = f"Let assistants use {many} as described now{_where(engine, name)}?"
            ask_a_person(question, told=partial(engine.turn_away, "accept_operations"))
            engine.accept_operations(name, wanted)
    if call.json:
        call.screen.answer({"api": name, "accepted": wanted})
    else:
        call.screen.show(f"{counted(len(wanted), 'operation')} accepted." if wanted else "Nothing waits for you.")


def _where(engine: Engine, api: str) -> str:
    """The server may be another one, too, and the credentials go with the calls."""
    from knowgate.apis.servers import base_of

    described, chosen = engine.rooms.apis.catalogue.apis[api], engine.settings.apis[api]
    try:
        base = base_of(described, source=described.source, base_url=chosen.base_url or "")
    except InputError:
        return ""
    return f", at {base}" + (f" with the credentials {', '.join(chosen.auth)}" if chosen.auth else "")


def tell_of_orders(call: Call, suspicious: Mapping[str, str]) -> None:
    """Of operations whose descriptions talk to the assistant."""
    for id, words in suspicious.items():
        call.screen.tell(f'{id} reads like orders to an assistant: "{one_line(words)}". Look at its description.')

"""`knowgate graph merge`, `rename`, `alias` and `forget`: what people know better about names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import Screen, clean, one_line
from knowgate.model import Entity

if TYPE_CHECKING:
    from rich.text import Text

    from knowgate.engine import Engine

Name = Annotated[str, typer.Argument(metavar="NAME", help="Any spelling of its name, or a part of it.")]


def merge(
    ctx: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Entities that are one and the same.")],
    into: Annotated[str, typer.Option("--into", metavar="NAME", help="The entity that they become.")],
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Make several entities one. It holds for whatever is indexed later, too."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        engine.merge_entities(names, into)
        _tell_entity(call, engine, into)


def rename(
    ctx: typer.Context,
    name: Name,
    to: Annotated[str, typer.Argument(metavar="TO", help="What it is to be called.")],
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Give an entity another name; the ones it has still mean it."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        engine.rename_entity(name, to)
        _tell_entity(call, engine, to)


def alias(
    ctx: typer.Context,
    name: Name,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Another name for it, also one not seen yet.")],
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Say that another name means the same entity."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        engine.alias_entity(name, other)
        _tell_entity(call, engine, name)


def forget(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that was merged, renamed or made an alias.")],
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Take back what was decided about a name."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        known = engine.forget_entity_name(name)
    if call.json:
        call.screen.answer({"name": name, "forgotten": known})
    elif known:
        call.screen.show(f"Nothing is decided about {one_line(name)} any more.")
    else:
        call.screen.note(f"Nothing was decided about {one_line(name)}.")


def _tell_entity(call: Call, engine: Engine, name: str) -> None:
    """What has become of it."""
    entity = engine.relations(name, limit=1).entity
    if call.json:
        call.screen.answer({"entity": entity})
    else:
        show_entity(call.screen, entity)


def show_entity(screen: Screen, entity: Entity) -> None:
    screen.show(said((one_line(entity.name), "bold"), f" [{entity.type}]"))
    if entity.description:
        screen.show(said(one_line(entity.description)))
    if entity.aliases:
        screen.show(said((f"Also: {one_line(', '.join(entity.aliases))}", "dim")))


def said(*parts: str | tuple[str, str]) -> Text:
    """A line of texts, some of them in a style."""
    from rich.text import Text

    return Text.assemble(*((clean(part), "") if isinstance(part, str) else (clean(part[0]), part[1]) for part in parts))

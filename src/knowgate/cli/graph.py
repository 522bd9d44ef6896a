"""`knowgate graph`: ask the graph, look at it, correct its names."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer

from knowgate.cli import graph_export, graph_names
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.graph_names import Name, said, show_entity
from knowgate.cli.graph_tree import show_tree
from knowgate.cli.screen import Screen, one_line
from knowgate.cli.sizes import counted
from knowgate.model import Direction, Relation, Stream

app = typer.Typer(help="Ask the knowledge graph, look at it, correct its names.")

_EMPTY = "The graph is empty: knowgate ingest FOLDER"
_FILES = 2
"""So many passages are named beside a relation; JSON has more."""

Limit = Annotated[int, typer.Option("--limit", metavar="N", help="How many, 1 to 1000.")]


@app.callback(invoke_without_command=True)
def graph(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand is None:
        stats(ctx)


@app.command()
def entities(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="A part of a name or description, in any case.")] = "",
    type: Annotated[str, typer.Option("--type", metavar="TYPE", help="Only this type, such as SERVICE.")] = "",
    limit: Limit = 50,
    cursor: Annotated[str, typer.Option("--cursor", metavar="CURSOR", help="Go on where the last answer ended.")] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """List what the documents name, the surest first."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        page = engine.entities(query, type=type, limit=limit, cursor=cursor)
    if call.json:
        call.screen.answer(page)
        return
    if not page.entities:
        call.screen.note("No entity fits: knowgate graph entities" if query or type else _EMPTY)
        return
    rows = [
        (one_line(each.name), each.type, str(each.documents), str(each.mentions), one_line(each.description))
        for each in page.entities
    ]
    columns = ("name", "type", "documents", "passages", "description")
    call.screen.table(columns, rows, ("documents", "passages"), ("name", "description"), ("documents", "passages"))
    if page.cursor:
        call.screen.note(f"More: repeat the command with --cursor {shlex.quote(page.cursor)}")


@app.command()
def show(
    ctx: typer.Context,
    name: Name,
    upstream: Annotated[bool, typer.Option("--upstream", help="Only where things come from.")] = False,
    downstream: Annotated[bool, typer.Option("--downstream", help="Only where things go to.")] = False,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="How many steps to follow, 1 to 20.")] = 3,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Show an entity: what it is, what it is related to, and what lies up- and downstream of it, as trees."""
    call = Call.of(ctx, config, data, json)
    one_way = upstream != downstream
    streams: tuple[Stream, ...] = ("upstream", "downstream")
    if one_way:
        streams = ("upstream",) if upstream else ("downstream",)
    with call.engine() as engine:
        found = engine.relations(name)
        # By its own name: the two must not take what was given for different things.
        traces = [engine.trace(found.entity.name, direction=each, depth=depth) for each in streams]
    if call.json:
        call.screen.answer(
            {
                "entity": found.entity,
                "relations": found.relations,
                "total": found.total,
                "also": found.also,
                **{each.direction: each.tree for each in traces},
            }
        )
        return
    screen, entity = call.screen, found.entity
    show_entity(screen, entity)
    passages, documents = counted(entity.mentions, "passage"), counted(entity.documents, "document")
    screen.show(said((f"Named in {passages} of {documents}.", "dim")))
    for trace in traces:
        if trace.tree.steps or one_way:
            screen.show()
            screen.show(said((f"{trace.direction.capitalize()}:", "bold")))
            show_tree(screen, trace.tree)
    if found.relations and not one_way:
        screen.show()
        _relations(screen, found.relations)
        _rest(screen, found.total - len(found.relations))
    _also(screen, found.also)


@app.command()
def relations(
    ctx: typer.Context,
    name: Name,
    direction: Annotated[
        Direction, typer.Option("--direction", metavar="WAY", help="Those that reach it (in), leave it (out), or both.")
    ] = "both",
    limit: Limit = 100,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """List the relations of an entity, and the documents that state them."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.relations(name, direction=direction, limit=limit)
    if call.json:
        call.screen.answer(found)
        return
    if found.relations:
        _relations(call.screen, found.relations)
    else:
        call.screen.note(f"Nothing is said of how {one_line(found.entity.name)} is related to others.")
    _rest(call.screen, found.total - len(found.relations))
    _also(call.screen, found.also)


@app.command()
def path(
    ctx: typer.Context,
    start: Annotated[str, typer.Argument(metavar="FROM", help="Where the path begins.")],
    end: Annotated[str, typer.Argument(metavar="TO", help="Where it ends.")],
    max_depth: Annotated[int, typer.Option("--max-depth", metavar="N", help="At most so many steps, 1 to 20.")] = 5,
    any_direction: Annotated[
        bool, typer.Option("--any-direction", help="Also against the direction of the relations.")
    ] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Find the shortest path from one entity to another."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.path(start, end, max_depth=max_depth, any_direction=any_direction)
    if call.json:
        call.screen.answer(found)
        return
    first, last = one_line(found.start), one_line(found.end)
    if found.relations:
        _relations(call.screen, found.relations)
    elif found.relations is None:
        hint = "" if any_direction else ", or --any-direction"
        call.screen.note(f"No path of {max_depth} steps leads from {first} to {last}: try a larger --max-depth{hint}.")
    else:
        call.screen.note(f"{first} and {last} are the same.")
    _also(call.screen, found.also)


@app.command()
def stats(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Count what is in the graph, by type."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        counts = engine.graph_stats()
    if call.json:
        call.screen.answer(counts)
        return
    for warning in counts.warnings:
        call.screen.warn(warning)
    if not counts.entities:
        call.screen.note(_EMPTY)
        return
    rows = [("documents", str(counts.documents)), ("entities", str(counts.entities))]
    rows += [(f"  {type}", str(count)) for type, count in sorted(counts.entity_types.items())]
    rows.append(("relations", str(counts.relations)))
    rows += [(f"  {type}", str(count)) for type, count in sorted(counts.relation_types.items())]
    call.screen.table(("graph", ""), rows, numbers=("",))


@app.command()
def schema(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Show the types of entities and relations, and which way things flow along them."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.graph_schema()
    if call.json:
        call.screen.answer(found)
        return
    back = "things flow from the target to the source"
    rows = [("entity", type, "") for type in found.entity_types]
    rows += [("relation", type, back if found.flows.get(type) == "backward" else "") for type in found.relation_types]
    call.screen.table(("kind", "type", ""), rows)


def _relations(screen: Screen, found: Sequence[Relation]) -> None:
    for each in found:
        ends = one_line(each.source), one_line(each.target)
        screen.show(said((ends[0], "bold"), f" --[{each.type}]--> ", (ends[1], "bold")))
        where = ", ".join(dict.fromkeys(one_line(passage.document) for passage in each.passages[:_FILES]))
        told = [one_line(each.description), where]
        for line in filter(None, told):
            screen.show(said((f"  {line}", "dim")))


def _rest(screen: Screen, count: int) -> None:
    if count > 0:
        screen.note(f"… and {count} more relations: knowgate graph relations NAME --limit 1000")


def _also(screen: Screen, names: Sequence[str]) -> None:
    if names:
        screen.note(f"The name may also mean: {one_line(', '.join(names))}")


for command in (
    graph_export.export,
    graph_names.merge,
    graph_names.rename,
    graph_names.alias,
    graph_names.forget,
):
    app.command()(command)

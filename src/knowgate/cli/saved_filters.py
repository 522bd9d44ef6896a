"""`knowgate filters`: parts of the knowledge under a name, for searches, chats and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import one_line
from knowgate.cli.sizes import day
from knowgate.errors import ConflictError, NotFoundError
from knowgate.model import SavedFilter

if TYPE_CHECKING:
    from knowgate.engine import Engine

app = typer.Typer(help="Keep filters under a name, for searches, chats and keys.")

Many = list[str] | None
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="How many filters are listed, 1 to 1000.")]
Chosen = Annotated[str, typer.Argument(metavar="ID|NAME", help="A filter's id or name.")]
_LISTED = 100
_MOST = 1000


@app.callback(invoke_without_command=True)
def filters(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand is None:
        list_filters(ctx)


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    source: Annotated[
        Many, typer.Option("--source", metavar="NAME", help="Only documents of this name or source, or 'docs/*'.")
    ] = None,
    type: Annotated[Many, typer.Option("--type", metavar="TYPE", help="Only this type, such as pdf or md.")] = None,
    owner: Annotated[Many, typer.Option("--owner", metavar="NAME", help="Only this owner's documents.")] = None,
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What it is for.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="How many results a search gives.")] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", metavar="SCORE", help="Leave out what scores lower, 0 to 1.")
    ] = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Keep a filter under a name; its id is printed.

    --source, --type and --owner may be given several times.
    """
    call = Call.of(ctx, config, data, json)
    from knowgate.cli.filters import make_filter

    types = make_filter(types=type or ()).types
    with call.engine() as engine:
        saved = engine.create_filter(
            name,
            description,
            {
                "filters": {"data_sources": source or None, "document_types": types, "owners": owner or None},
                "limit": limit,
                "scoreThreshold": threshold,
            },
        )
        count = engine.store.stats(saved.where).documents
    if call.json:
        call.screen.answer({"filter": saved})
        return
    call.screen.show(saved.id)
    if not count:
        call.screen.warn("No document fits the filter yet.")
    call.screen.note(f"A key that sees nothing else: {call.command('keys', 'create', 'NAME', '--filter', saved.id)}")


@app.command("list")
def list_filters(
    ctx: typer.Context, limit: Limit = _LISTED, config: Config = None, data: Data = None, json: Json = False
) -> None:
    """List the filters, newest first."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.filters("", limit)
    if call.json:
        call.screen.answer({"filters": found})
        return
    if not found:
        call.screen.note("There are no filters yet. Make one: knowgate filters create NAME --source 'docs/*'")
        return
    columns = ("id", "name", "owner", "updated", "what")
    rows = [
        (saved.id, one_line(saved.name), one_line(saved.owner), day(saved.updated_at), _what(saved)) for saved in found
    ]
    call.screen.table(columns, rows, long=("name", "what"), extra=("owner", "updated"))


@app.command()
def show(ctx: typer.Context, filter: Chosen, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Show a filter and how many documents fit it."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        saved = find_filter(engine, filter)
        count = engine.store.stats(saved.where).documents
    if call.json:
        call.screen.answer({"filter": saved, "documents": count})
        return
    rows = [
        ("id", saved.id),
        ("description", one_line(saved.description)),
        ("owner", one_line(saved.owner)),
        *_dimensions(saved),
        ("query", one_line(saved.query)),
        ("limit", str(saved.limit)),
        ("threshold", str(saved.threshold)),
        ("created", day(saved.created_at)),
        ("updated", day(saved.updated_at)),
        ("documents", str(count)),
    ]
    call.screen.table(("filter", one_line(saved.name)), rows)


@app.command()
def delete(ctx: typer.Context, filter: Chosen, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Delete a filter; the documents stay, and keys bound to it see nothing any more."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        saved = find_filter(engine, filter)
        engine.delete_filter(saved.id)
        keys = engine.keys()
    if call.json:
        call.screen.answer({"deleted": saved})
        return
    call.screen.show(f"Deleted the filter {one_line(saved.name)}.")
    blind = [key.name for key in keys if key.filter_id == saved.id and key.revoked_at is None]
    if blind:
        call.screen.warn(f"These keys were bound to it and see nothing any more: {one_line(', '.join(blind))}")


def find_filter(engine: Engine, given: str) -> SavedFilter:
    """By id, or by name where only one is called that."""
    try:
        return engine.filter(given)
    except NotFoundError:
        found = [saved for saved in engine.filters(given, _MOST) if saved.name == given]
        if not found:
            raise
    if len(found) > 1:
        ids = ", ".join(saved.id for saved in found)
        raise ConflictError(
            "ambiguous_filter", f"{len(found)} filters are called {given}: {ids}.", "Name one by its id."
        )
    return found[0]


def _dimensions(saved: SavedFilter) -> list[tuple[str, str]]:
    from knowgate.knowledge.filters import query_data

    constraints: dict[str, list[str]] = query_data(saved)["filters"]
    return [(name, one_line(", ".join(values)) or "none") for name, values in constraints.items() if values != ["*"]]


def _what(saved: SavedFilter) -> str:
    return "; ".join(f"{name}: {values}" for name, values in _dimensions(saved)) or "everything"

"""`knowgate search`: a question, and the passages that answer it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.documents import same_names
from knowgate.cli.excerpt import below_headings, excerpt
from knowgate.cli.filters import make_filter
from knowgate.cli.screen import Screen, one_line
from knowgate.model import Filter, Hit, SearchMode

if TYPE_CHECKING:
    from knowgate.engine import Engine

_EXCERPT = 480
"""Characters of a passage on a terminal: about five lines."""

Many = list[str] | None


def search(
    ctx: typer.Context,
    query: Annotated[
        list[str],
        typer.Argument(metavar="QUERY...", help='What you want to know; a "phrase" must stand there word for word.'),
    ],
    mode: Annotated[
        SearchMode,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="keyword (by words), vector (by meaning), local (by the things it names), global (by relations), "
            "hybrid (all).",
        ),
    ] = "hybrid",
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="How many results; not set, search.limit.")
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="SCORE", help="Leave out what scores lower, 0 to 1.")
    ] = 0.0,
    file: Annotated[Many, typer.Option("--file", metavar="NAME", help="Only this file, or a pattern: '*.md'.")] = None,
    type: Annotated[Many, typer.Option("--type", metavar="TYPE", help="Only this type, such as pdf or md.")] = None,
    owner: Annotated[Many, typer.Option("--owner", metavar="NAME", help="Only this owner's documents.")] = None,
    since: Annotated[str, typer.Option("--since", metavar="DATE", help="Modified on this day or later.")] = "",
    until: Annotated[str, typer.Option("--until", metavar="DATE", help="Modified on this day or before.")] = "",
    field: Annotated[
        Many, typer.Option("--field", metavar="KEY=VALUE", help="Only documents that say this of themselves.")
    ] = None,
    cursor: Annotated[str, typer.Option("--cursor", metavar="CURSOR", help="Go on where the last answer ended.")] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Find the passages that answer a question.

    --file, --type, --owner and --field may be given several times.
    """
    call = Call.of(ctx, config, data, json)
    where = make_filter(file or (), type or (), owner or (), since, until, field or ())
    with call.engine() as engine:
        result = engine.search(" ".join(query), mode=mode, limit=limit, threshold=threshold, where=where, cursor=cursor)
        if call.json:
            call.screen.answer(result)
            return
        for warning in result.warnings:
            call.screen.warn(warning)
        clashing = same_names(hit.document for hit in result.hits)
        for number, hit in enumerate(result.hits, 1):
            _show(call.screen, number, hit, hit.document.name in clashing)
        if not result.hits:
            call.screen.note(_advice(engine, where, threshold, cursor))
        elif result.cursor:
            call.screen.note(f"More: repeat the command with --cursor {shlex.quote(result.cursor)}")


def _show(screen: Screen, number: int, hit: Hit, with_source: bool) -> None:
    from rich.padding import Padding
    from rich.text import Text

    chunk, document = hit.chunk, hit.document
    page = f", page {chunk.page}" if chunk.page else ""
    screen.show(Text.assemble(f"{number}. ", (one_line(document.name), "bold"), page, (f"  {hit.score:.2f}", "cyan")))
    if with_source:
        screen.show(Text(f"   {one_line(document.source)}", style="dim"))
    if chunk.headings:
        screen.show(Text(f"   {one_line(' > '.join(chunk.headings))}", style="dim"))
    width = _EXCERPT if screen.out.is_terminal else None
    passage = excerpt(*below_headings(chunk, hit.highlights), width, "bold yellow")
    screen.show(Padding(passage, (0, 0, 0, 3), expand=False))
    screen.show()


def _advice(engine: Engine, where: Filter, threshold: float, cursor: str) -> str:
    if not engine.stats().documents:
        return "No results: the index is empty. Index something first: knowgate ingest FOLDER"
    if cursor:
        return "No more results."
    if where != Filter() and not engine.store.stats(where).documents:
        return "No results: no document fits the filter. See what there is: knowgate documents"
    if threshold:
        return "No results: try a lower --threshold."
    return "No results: try fewer or other words, or --mode vector to search by meaning."

"""`knowgate documents`, `show`, `delete` and `stats`: what is in the index."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.cli.screen import Screen, Tail, clean, one_line, told
from knowgate.cli.sizes import counted, day, size, size_of
from knowgate.model import Chunk, Document

if TYPE_CHECKING:
    from knowgate.config.settings import Settings


def documents(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="A part of the name, or a pattern such as '*.pdf'.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="How many documents, 1 to 1000.")] = 100,
    cursor: Annotated[str, typer.Option("--cursor", metavar="CURSOR", help="Go on where the last answer ended.")] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """List the documents by name."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        page = engine.documents(query, limit=limit, cursor=cursor)
        waiting = engine.waiting(page.documents)
    if call.json:
        listed = [{**told(document), "vectors": document.id not in waiting} for document in page.documents]
        call.screen.answer({"documents": listed, "cursor": page.cursor})
        return
    if not page.documents:
        call.screen.note(f"No document is called {query}." if query else "The index is empty: knowgate ingest FOLDER")
        return
    clashing = same_names(page.documents)
    rows = [_row(document, document.id in waiting, clashing) for document in page.documents]
    columns = ("name", "type", "passages", "size", "modified", "vectors", *(["source"] if clashing else []))
    call.screen.table(
        columns, rows, numbers=("passages", "size"), long=("name", "source"), extra=("size", "modified", "vectors")
    )
    if page.cursor:
        call.screen.note(f"More: repeat the command with --cursor {shlex.quote(page.cursor)}")


def same_names(documents: Iterable[Document]) -> set[str]:
    """The names that several of these documents share; their sources tell them apart."""
    names = Counter(document.name for document in {document.id: document for document in documents}.values())
    return {name for name, count in names.items() if count > 1}


def _row(document: Document, waiting: bool, clashing: set[str]) -> tuple[str | Tail, ...]:
    return (
        one_line(document.name),
        document.type,
        str(document.chunks),
        size(document.size),
        day(document.modified_at),
        "pending" if waiting else "yes",
        *([Tail(document.source) if document.name in clashing else ""] if clashing else []),
    )


def show(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="A document's name, source or id.")],
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Show a document: what is known of it, and its text."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        document = engine.document(name)
        passages = engine.passages(document)
    if call.json:
        call.screen.answer({"document": document, "passages": passages})
        return
    _about(call.screen, document)
    for passage in passages:
        _passage(call.screen, passage)


def _about(screen: Screen, document: Document) -> None:
    rows = [
        ("title", one_line(document.title)),
        ("source", one_line(document.source)),
        ("type", f"{document.type} ({document.mime})"),
        ("size", size(document.size)),
        ("owner", document.owner),
        ("modified", day(document.modified_at)),
        ("indexed", day(document.indexed_at)),
        *((one_line(key), one_line(str(value))) for key, value in document.fields.items()),
    ]
    screen.table(("document", one_line(document.name)), rows)
    for warning in document.warnings:
        screen.warn(warning)


def _passage(screen: Screen, passage: Chunk) -> None:
    from rich.text import Text

    page = f", page {passage.page}" if passage.page else ""
    screen.show()
    screen.show(Text(f"[{passage.ordinal + 1}] {one_line(' > '.join(passage.headings))}{page}", style="dim"))
    screen.show(Text(clean(passage.text)))


def delete(
    ctx: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Documents' names, sources or ids.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Delete documents from the index; the files themselves stay."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = {document.id: document for document in map(engine.document, names)}
        if not yes:
            listed = ", ".join(one_line(document.name) for document in found.values())
            ask_a_person(f"Delete {listed} from the index?", "Run it in a terminal, or add --yes.")
        for id in found:
            engine.delete(id)
    if call.json:
        call.screen.answer({"deleted": list(found.values())})
        return
    for document in found.values():
        call.screen.show(f"Deleted {one_line(document.name)} ({counted(document.chunks, 'passage')}).")


def stats(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Count what is in the index."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        counts = engine.stats()
        space = engine.store.space()
        place, place_rows = kept_in(engine.settings)
    if call.json:
        embedder = space.identity if space else None
        call.screen.answer({**told(counts), **place, "embedder": embedder})
        return
    types = ", ".join(f"{count} {type}" for type, count in sorted(counts.by_type.items()))
    rows = [
        ("documents", f"{counts.documents}" + (f" ({types})" if types else "")),
        ("passages", str(counts.chunks)),
        ("with vectors", str(counts.vectors)),
        ("documents waiting for vectors", str(counts.pending)),
        ("size of the documents", size(counts.bytes)),
        *place_rows,
        ("embedder", f"{space.identity.provider}/{space.identity.model}" if space else "none yet"),
    ]
    call.screen.table(("index", ""), rows)
    if counts.pending:
        call.screen.note("Some vectors are missing; until they are made, those documents are found by keyword only.")
        call.screen.note(f"If no task is at it, this makes them: {call.command('reembed')}")


def kept_in(settings: Settings) -> tuple[dict[str, object], list[tuple[str, str]]]:
    """Where the index is, as JSON and as rows of a table; how large it is only where that can be seen from here."""
    store, folder = settings.store, settings.data.absolute()
    if store.provider == "opensearch":
        rows = [("cluster", ", ".join(store.url)), ("indexes", f"{store.prefix}-*"), ("data folder", str(folder))]
        return {"data": folder, "cluster": store.url, "prefix": store.prefix}, rows
    on_disk = size_of(Path(here, name) for here, _, names in os.walk(folder) for name in names)
    rows = [("size of the index", size(on_disk)), ("data folder", str(folder))]
    return {"data": folder, "disk_bytes": on_disk}, rows

"""knowgate_documents, knowgate_delete_document and knowgate_stats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowgate.errors import NotFoundError
from knowgate.tools.backend import Backend
from knowgate.tools.text import counted, fit
from knowgate.tools.tool import Answer, Call, Given, Hints, Tool

if TYPE_CHECKING:
    from knowgate.wire import DocumentsAnswer, Listed

_NAMES = 1000
"""How many names are looked through for a near one."""


class DocumentsInput(Given):
    query: Annotated[str, Field(max_length=1000, description="A part of the name, or a pattern: *.pdf")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str, Field(description="From the last answer.")] = ""


class DeleteInput(Given):
    filename: Annotated[str, Field(min_length=1, description="As knowgate_documents lists it, or its document_id.")]


class StatsInput(Given):
    pass


@dataclass(frozen=True, slots=True)
class Item:
    filename: str
    document_id: str
    type: str
    passages: int
    title: str | None = None
    source_url: str | None = None


@dataclass(frozen=True, slots=True)
class Documents:
    documents: list[Item]
    cursor: str | None = None
    left_out: int | None = None


@dataclass(frozen=True, slots=True)
class Deleted:
    filename: str
    document_id: str
    passages: int


@dataclass(frozen=True, slots=True)
class Stats:
    documents: int
    passages: int
    pending: int
    """Documents that are found by keyword only, until their vectors are made."""
    entities: int
    relations: int
    entity_types: dict[str, int]
    relation_types: dict[str, int]
    warnings: list[str] | None = None


async def _documents(backend: Backend, given: DocumentsInput, _: Call) -> Answer:
    shown = shape(await backend.documents(given.query, given.limit, given.cursor))
    return Answer(shown, render(shown))


async def _delete(backend: Backend, given: DeleteInput, _: Call) -> Answer:
    try:
        # By its id: other documents whose names end alike are not meant.
        found = (await backend.document(given.filename, limit=1)).document
    except NotFoundError as error:
        raise NotFoundError("unknown_document", error.message, await _nearest(backend, given.filename)) from error
    gone = await backend.delete(found.document_id)
    shown = Deleted(found.filename, found.document_id, gone.deleted_chunks)
    text = f"Deleted {shown.filename} ({counted(shown.passages, 'passage')}, document {shown.document_id})."
    return Answer(shown, text)


async def _stats(backend: Backend, _given: StatsInput, _: Call) -> Answer:
    counts, graph = await backend.stats(), await backend.graph_stats()
    shown = Stats(
        counts.documents,
        counts.passages,
        counts.pending,
        graph.entities,
        graph.relations,
        dict(graph.entity_types),
        dict(graph.relation_types),
        list(graph.warnings) or None,
    )
    lines = [f"{counted(counts.documents, 'document')}, {counted(counts.passages, 'passage')}."]
    if counts.pending:
        lines.append(f"{counted(counts.pending, 'document')} found by keyword only until the vectors are made.")
    lines.append(f"Entities: {graph.entities}{_by_type(graph.entity_types)}.")
    lines.append(f"Relations: {graph.relations}{_by_type(graph.relation_types)}.")
    lines += [f"Warning: {each}" for each in graph.warnings]
    return Answer(shown, "\n".join(lines))


def _by_type(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{count} {type}" for type, count in sorted(counts.items(), key=lambda item: -item[1]))
    return f" ({told})" if told else ""


async def _nearest(backend: Backend, name: str) -> str:
    known = [each.filename for each in (await backend.documents("", _NAMES)).documents]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    return f"Nearest: {', '.join(near)}." if near else "List the names with knowgate_documents."


def shape(page: DocumentsAnswer) -> Documents:
    items = [_item(each) for each in page.documents]
    kept = fit(items, lambda each: len(_line(each)) + 1)
    left_out = len(items) - len(kept)
    return Documents(kept, None if left_out else page.cursor or None, left_out or None)


def render(shown: Documents) -> str:
    if not shown.documents:
        return "No document is called so. Call without query to list all, or add some with knowgate_ingest."
    lines = [f"{counted(len(shown.documents), 'document')}:", *map(_line, shown.documents)]
    if shown.left_out:
        lines.append(f"{shown.left_out} more had no room: call again with limit {len(shown.documents)}.")
    if shown.cursor:
        lines.append(f'More: call again with cursor "{shown.cursor}".')
    return "\n".join(lines)


def _item(listed: Listed) -> Item:
    title = listed.title if listed.title != listed.filename else ""
    return Item(
        listed.filename, listed.document_id, listed.type, listed.chunks, title or None, listed.source_url or None
    )


def _line(item: Item) -> str:
    told = f"- {item.filename} ({item.type}, {counted(item.passages, 'passage')}, document {item.document_id})"
    told += f": {item.title}" if item.title else ""
    return told + (f", from {item.source_url}" if item.source_url else "")


DOCUMENTS = Tool(
    name="knowgate_documents",
    title="List documents",
    description=(
        'Which documents there are, by name. For what they say use knowgate_search. Example: {"query": "*.pdf"}'
    ),
    input=DocumentsInput,
    output=Documents,
    run=_documents,
)
DELETE_DOCUMENT = Tool(
    name="knowgate_delete_document",
    title="Delete a document",
    description=(
        "Remove one document and all its passages from the index; the file itself stays. Only when the user asked "
        'for it. Example: {"filename": "guides/old.md"}'
    ),
    input=DeleteInput,
    output=Deleted,
    run=_delete,
    scope="write",
    hints=Hints(read_only=False, destructive=True),
)
STATS = Tool(
    name="knowgate_stats",
    title="Count documents",
    description="How many documents, passages, entities and relations there are, by type, and what still waits.",
    input=StatsInput,
    output=Stats,
    run=_stats,
)

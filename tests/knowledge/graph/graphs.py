"""Files put into a store the product's own way, and the graph of them in a form that is easy to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from knowgate.knowledge.chunk import chunk
from knowgate.knowledge.extract import key
from knowgate.knowledge.graph.facts import document_facts
from knowgate.knowledge.graph.joins import Decision
from knowgate.knowledge.graph.view import View
from knowgate.knowledge.parse import parse
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import DEFAULT_SCHEMA, EVERYTHING, Document, Entity, Filter, Schema
from knowgate.store.port import Batch, DocumentWrite, Store


def write(name: str, text: str, schema: Schema = DEFAULT_SCHEMA) -> DocumentWrite:
    parsed = parse(text.encode(), name, ParseOptions())
    title = parsed.title or name
    chunks = chunk(parsed, name, title, lambda said: len(said.split()), 200)
    document = Document(
        name, name, f"/docs/{name}", parsed.type, parsed.mime, title, "", "1", len(text), "", 0.0, 0.0,
        chunks=len(chunks),
    )  # fmt: skip
    return DocumentWrite(document, chunks, document_facts(parsed, title, chunks, schema, name))


def put(store: Store, files: Mapping[str, str], schema: Schema = DEFAULT_SCHEMA) -> None:
    store.apply(Batch(documents=[write(name, text, schema) for name, text in files.items()]))


def look(
    store: Store, where: Filter = EVERYTHING, decisions: Sequence[Decision] = (), schema: Schema = DEFAULT_SCHEMA
) -> View:
    return View(store, where, schema, decisions)


def edges(view: View, sure: float = 0.5) -> set[tuple[str, str]]:
    kept = {each.name for page, _ in view.pages() for each in page if each.confidence >= sure}
    found = (each for _, page in view.pages() for each in page if each.confidence >= sure)
    return {(each.source, each.target) for each in found if {each.source, each.target} <= kept}


def stated(view: View) -> set[tuple[str, str, str]]:
    return {(each.source, each.type, each.target) for _, page in view.pages() for each in page}


def entities(view: View) -> dict[str, Entity]:
    return {each.name: each for page, _ in view.pages() for each in page}


def keys_of(view: View, name: str) -> set[str]:
    """The keys of all names of the entity that a name means; none when it means none."""
    found = [each for each in entities(view).values() if key(name) in map(key, (each.name, *each.aliases))]
    return {key(said) for each in found for said in (each.name, *each.aliases)}


def whole(view: View) -> object:
    """Everything that the graph says, in one order."""
    told = [replace(each, passages=tuple(sorted(each.passages, key=repr))) for _, page in view.pages() for each in page]
    return sorted(entities(view).items()), sorted(map(repr, told)), view.stats()

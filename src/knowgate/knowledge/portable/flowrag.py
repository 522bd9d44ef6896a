"""A FlowRAG data folder, read as it lies: kv/*.json for documents and passages, graph.db for the graph.

Vectors are left behind: they are another model's. What FlowRAG forgot about where an entity was found is taken from
its cache of extractions, which knows it for every passage.
"""

from __future__ import annotations

import hashlib
import posixpath
from base64 import urlsafe_b64decode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from knowgate.knowledge.portable.flowrag_files import Damage, Files, Report, list_files, load, scalars
from knowgate.knowledge.portable.flowrag_graph import EntityRow, GraphRows, RelationRow, Triple, read_graph
from knowgate.model import Fields

__all__ = [
    "Damage",
    "FlowragDocument",
    "FlowragEntity",
    "FlowragPiece",
    "FlowragRelation",
    "list_sources",
    "read_folder",
]


@dataclass(frozen=True, slots=True)
class FlowragPiece:
    """A passage as FlowRAG cut it."""

    id: str
    ordinal: int
    text: str
    start: int | None
    """Where it begins in the document's text; None if that is lost."""


@dataclass(frozen=True, slots=True)
class FlowragEntity:
    row: EntityRow
    pieces: tuple[int, ...]
    """Ordinals of this document's passages that name it."""


@dataclass(frozen=True, slots=True)
class FlowragRelation:
    row: RelationRow
    pieces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FlowragDocument:
    name: str
    """The path below the folder that all documents have in common."""
    source: str
    """The path as FlowRAG was given it, often relative to where it ran."""
    text: str | None
    """None if it is lost; the passages remain."""
    pieces: tuple[FlowragPiece, ...]
    entities: tuple[FlowragEntity, ...]
    relations: tuple[FlowragRelation, ...]
    fields: Fields


def list_sources(folder: Path, namespace: str = "") -> list[str]:
    """The paths of all documents, as FlowRAG was given them."""
    files = list_files(folder, f"{namespace}:" if namespace else "")
    return [_source(key) for key in {*files.documents, *files.pieces}]


def read_folder(folder: Path, report: Report, namespace: str = "") -> Iterator[FlowragDocument]:
    """Every document with its part of the graph, by path. What is damaged is reported, one by one, and left out."""
    prefix = f"{namespace}:" if namespace else ""
    files = list_files(folder, prefix)
    graph = read_graph(folder / "graph.db", prefix, report)
    sources = {key: _source(key) for key in {*files.documents, *files.pieces}}
    common = _common(sources.values())
    named: set[str] = set()
    said: set[Triple] = set()
    for key, source in sorted(sources.items(), key=lambda item: item[1]):
        document = _document(files, key, source, common, graph, report)
        named |= {entity.row.name for entity in document.entities}
        said |= {(each.row.source, each.row.type, each.row.target) for each in document.relations}
        yield document
    for name in sorted(graph.entities.keys() - named):
        report(Damage(f"entity {name}", "No passage that names it is left."))
    for source, type, target in sorted(graph.relations.keys() - said):
        report(Damage(f"relation {source}-{type}-{target}", "No passage that says so is left."))


def _document(files: Files, key: str, source: str, common: str, graph: GraphRows, report: Report) -> FlowragDocument:
    path = files.documents.get(key)
    stored = load(path, report) if path else {}
    if not path:
        report(Damage(source, "The document itself is missing; its passages are there."))
    text = stored.get("content")
    text = text if isinstance(text, str) else None
    pieces = tuple(_pieces(files.pieces.get(key, {}), key, text, report))
    entities: dict[str, set[int]] = defaultdict(set)
    relations: dict[Triple, set[int]] = defaultdict(set)
    for piece in pieces:
        names, triples = _extracted(piece, files, report)
        for triple in (triples & graph.relations.keys()) | graph.triples_by_chunk.get(piece.id, set()):
            relations[triple].add(piece.ordinal)
            # A passage that relates two entities names them, even where FlowRAG remembers another one only.
            names |= {triple[0], triple[2]}
        for name in (names & graph.entities.keys()) | graph.names_by_chunk.get(piece.id, set()):
            entities[name].add(piece.ordinal)
    metadata = stored.get("metadata")
    return FlowragDocument(
        name=_slashes(source).removeprefix(common).lstrip("/"),
        source=source,
        text=text,
        pieces=pieces,
        entities=tuple(FlowragEntity(graph.entities[name], tuple(sorted(at))) for name, at in sorted(entities.items())),
        relations=tuple(
            FlowragRelation(graph.relations[each], tuple(sorted(at))) for each, at in sorted(relations.items())
        ),
        fields=scalars(cast("dict[str, Any]", metadata).get("fields")) if isinstance(metadata, dict) else {},
    )


def _pieces(paths: Mapping[int, Path], key: str, text: str | None, report: Report) -> Iterator[FlowragPiece]:
    after = 0
    for ordinal, path in sorted(paths.items()):
        content = load(path, report).get("content")
        if not isinstance(content, str):
            continue
        start = None
        if text is not None:
            # FlowRAG may cut a character in two, which leaves a mark at the edge.
            start = text.find(content.strip("\ufffd"), after)
            if start < 0:
                report(Damage(path.name, "This passage is of an older version of its document."))
                continue
            after = start
        yield FlowragPiece(f"chunk:doc:{key}:{ordinal}", ordinal, content, start)


def _extracted(piece: FlowragPiece, files: Files, report: Report) -> tuple[set[str], set[Triple]]:
    """What was once found in a passage."""
    path = files.extractions.get(hashlib.sha256(piece.text.encode()).hexdigest()[:16])
    stored = load(path, report) if path else {}
    names = {str(each.get("name")) for each in _objects(stored.get("entities"))}
    triples = {
        (str(each.get("source")), str(each.get("type")), str(each.get("target")))
        for each in _objects(stored.get("relations"))
    }
    return names, triples


def _objects(value: object) -> list[dict[str, Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _source(key: str) -> str:
    try:
        return urlsafe_b64decode(key + "=" * (-len(key) % 4)).decode()
    except ValueError:
        return key


def _common(sources: Iterable[str]) -> str:
    """The deepest folder that holds all of them."""
    try:
        return posixpath.commonpath([posixpath.dirname(_slashes(source)) for source in sources])
    except ValueError:
        return ""


def _slashes(source: str) -> str:
    return posixpath.normpath(source.replace("\\", "/"))

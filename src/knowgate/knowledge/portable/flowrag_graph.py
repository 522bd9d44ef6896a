"""FlowRAG's graph.db: two SQLite tables, entities and relations, each row with the passages it came from."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from knowgate.knowledge.portable.flowrag_files import Damage, Report, scalars
from knowgate.model import Fields

_ENTITIES = "SELECT id, name, type, description, source_chunk_ids, fields FROM entities ORDER BY rowid"
_RELATIONS = (
    "SELECT id, source_id, target_id, type, description, keywords, source_chunk_ids, fields FROM relations "
    "ORDER BY rowid"
)

Triple = tuple[str, str, str]
"""Source, type, target."""


@dataclass(frozen=True, slots=True)
class EntityRow:
    name: str
    type: str
    description: str
    chunks: frozenset[str]
    fields: Fields


@dataclass(frozen=True, slots=True)
class RelationRow:
    source: str
    target: str
    type: str
    description: str
    keywords: tuple[str, ...]
    chunks: frozenset[str]
    fields: Fields


@dataclass(frozen=True, slots=True)
class GraphRows:
    entities: dict[str, EntityRow] = field(default_factory=dict[str, EntityRow])
    relations: dict[Triple, RelationRow] = field(default_factory=dict[Triple, RelationRow])
    names_by_chunk: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    triples_by_chunk: dict[str, set[Triple]] = field(default_factory=lambda: defaultdict(set))

    def add_entity(self, entity: EntityRow) -> None:
        self.entities[entity.name] = entity
        for chunk in entity.chunks:
            self.names_by_chunk[chunk].add(entity.name)

    def add_relation(self, relation: RelationRow) -> None:
        triple = relation.source, relation.type, relation.target
        self.relations[triple] = relation
        for chunk in relation.chunks:
            self.triples_by_chunk[chunk].add(triple)


def read_graph(path: Path, prefix: str, report: Report) -> GraphRows:
    """What belongs to the namespace that `prefix` stands for; ids come without it."""
    graph = GraphRows()
    if not path.is_file():
        report(Damage(path.name, "There is no such file, so there are no entities and relations."))
        return graph
    names: dict[str, str] = {}
    for id, row in _rows(path, _ENTITIES, prefix, report):
        try:
            name, type, description, chunks, fields = row
            entity = EntityRow(_text(name), _text(type), str(description), _chunks(chunks, prefix), _fields(fields))
        except ValueError as error:
            report(Damage(f"entity {id}", f"The row is damaged: {error}."))
            continue
        names[id] = entity.name
        graph.add_entity(entity)
    for id, row in _rows(path, _RELATIONS, prefix, report):
        try:
            source, target, type, description, words, chunks, fields = row
            ends = names.get(str(source)), names.get(str(target))
            if not (ends[0] and ends[1]):
                raise ValueError(f"it leads from or to an entity that is not there, {source} or {target}")
            relation = RelationRow(
                ends[0], ends[1], _text(type), str(description), _list(words), _chunks(chunks, prefix), _fields(fields)
            )
        except ValueError as error:
            report(Damage(f"relation {id}", f"The row is damaged: {error}."))
            continue
        graph.add_relation(relation)
    return graph


def _rows(path: Path, query: str, prefix: str, report: Report) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Rows by id until the file ends or cannot be read any further."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = _decoded
            for id, *row in connection.execute(query):
                if str(id).startswith(prefix):
                    yield str(id), tuple(row)
    except sqlite3.Error as error:
        report(Damage(path.name, f"It cannot be read to its end: {error}."))


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a name or type is empty")
    return value


def _chunks(value: object, prefix: str) -> frozenset[str]:
    return frozenset(id.removeprefix(prefix) for id in _list(value))


def _list(value: object) -> tuple[str, ...]:
    items = json.loads(str(value))
    if not isinstance(items, list):
        raise ValueError("a list is not a list")
    return tuple(item for item in cast("list[object]", items) if isinstance(item, str))


def _fields(value: object) -> Fields:
    return scalars(json.loads(str(value))) if value else {}

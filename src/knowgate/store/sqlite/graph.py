"""What the store's port asks of the graph.

Nothing was added up when writing, so nothing has to be taken back when a document goes: what an entity is, and whether
there still is one, follows from the rows that are there and that the caller may see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import orjson

from knowgate.model import EVERYTHING, Direction, Filter
from knowgate.store.port import Clue, Definition, Edge, Evidence, Facts, Link, Mention, Name, Spelling, Spread, Triple
from knowgate.store.sqlite.connection import Database
from knowgate.store.sqlite.where import where_sql

_CHUNK_ID = "document.id || ':' || chunk.ordinal"
_WEIGHT = "sum(round(1000 * pow(confidence, 4)))"
"""How much passages that say the same count together."""


class GraphTables:
    """What the store's port asks of the graph."""

    _database: Database

    def definitions(
        self, keys: Sequence[str], where: Filter = EVERYTHING, most: int = 9
    ) -> dict[str, list[Definition]]:
        visible, arguments = _visible("n", where)
        found: defaultdict[str, list[Definition]] = defaultdict(list)
        with self._database.read() as db:
            rows = db.execute(
                f"SELECT name.key, {_CHUNK_ID}, name.weight FROM json_each(?) wanted"
                " CROSS JOIN name ON name.key = wanted.value AND name.chunk IN"
                f" (SELECT n.chunk FROM name n WHERE n.key = wanted.value{visible} LIMIT ?)"
                f" {_TO_CHUNK.format('name')}",
                (_json(keys), *arguments, most),
            )
            for key, chunk_id, weight in rows:
                found[key].append(Definition(chunk_id, weight))
        return dict(found)

    def spellings(self, keys: Sequence[str], where: Filter = EVERYTHING) -> list[Spelling]:
        visible, arguments = _visible("mention", where)
        with self._database.read() as db:
            return [
                Spelling(*row)
                for row in db.execute(
                    f"SELECT mention.key, name, mention.type, max(confidence), {_WEIGHT},"
                    " coalesce(max(nullif(description, '')), '')"
                    f" FROM json_each(?) wanted CROSS JOIN mention ON mention.key = wanted.value WHERE 1{visible}"
                    " GROUP BY mention.key, name, mention.type ORDER BY mention.key, name, mention.type",
                    (_json(list(dict.fromkeys(keys))), *arguments),
                )
            ]

    def scan_entities(
        self, where: Filter = EVERYTHING, text: str = "", type: str = "", offset: int = 0, limit: int = 100
    ) -> list[str]:
        visible, arguments = _visible("mention", where)
        order = ""
        if text:
            visible += " AND (holds(name, ?) OR holds(description, ?))"
            arguments += [text.casefold(), text.casefold()]
        if type:
            visible += " AND mention.type = ?"
            arguments.append(type)
        if text:
            order = "max(holds(name, ?)) DESC, "
            arguments.append(text.casefold())
        with self._database.read() as db:
            rows = db.execute(
                f"SELECT key FROM mention WHERE 1{visible}"
                f" GROUP BY key ORDER BY {order}max(confidence) DESC, count(*) DESC, key LIMIT ? OFFSET ?",
                (*arguments, limit, offset),
            )
            return [key for (key,) in rows]

    def spread(self, groups: Sequence[Sequence[str]], where: Filter = EVERYTHING) -> list[Spread]:
        visible, arguments = _visible("mention", where)
        wanted = [(number, key) for number, keys in enumerate(groups) for key in keys]
        with self._database.read() as db:
            rows = db.execute(
                "SELECT wanted.value ->> 0, count(DISTINCT document), count(DISTINCT chunk) FROM json_each(?) wanted"
                f" CROSS JOIN mention ON mention.key = wanted.value ->> 1 WHERE 1{visible} GROUP BY 1",
                (_json(wanted), *arguments),
            )
            counted = {int(number): Spread(documents, chunks) for number, documents, chunks in rows}
        return [counted.get(number, Spread(0, 0)) for number in range(len(groups))]

    def neighbours(
        self,
        keys: Sequence[str],
        direction: Direction,
        where: Filter = EVERYTHING,
        types: Sequence[str] | None = None,
    ) -> list[Edge]:
        if direction == "both":
            found = self.neighbours(keys, "out", where, types) + self.neighbours(keys, "in", where, types)
            return list(dict.fromkeys(found))
        visible, arguments = _visible("relation", where)
        if types is not None:
            visible += " AND relation.type IN (SELECT value FROM json_each(?))"
            arguments.append(_json(types))
        near, far = ("source", "target") if direction == "out" else ("target", "source")
        index = "" if direction == "out" else " INDEXED BY relation_target"
        with self._database.read() as db:
            return [
                Edge(*row)
                for row in db.execute(
                    "SELECT source, target, relation.type, max(confidence), count(*) FROM json_each(?) wanted"
                    f" CROSS JOIN relation{index} ON {near} = wanted.value WHERE 1{visible}"
                    f" GROUP BY {near}, {far}, relation.type",
                    (_json(keys), *arguments),
                )
            ]

    def evidence(
        self, triples: Sequence[Triple], where: Filter = EVERYTHING, most: int = 3
    ) -> dict[Triple, list[Evidence]]:
        visible, arguments = _visible("relation", where)
        found: defaultdict[Triple, list[Evidence]] = defaultdict(list)
        with self._database.read() as db:
            rows = db.execute(
                "SELECT source, target, relation_type, chunk_id, confidence, description FROM"
                " (SELECT relation.source AS source, target, relation.type AS relation_type,"
                f" {_CHUNK_ID} AS chunk_id, confidence, description, row_number() OVER"
                " (PARTITION BY relation.source, target, relation.type ORDER BY confidence DESC, chunk.row) AS place"
                " FROM json_each(?) wanted CROSS JOIN relation ON relation.source = wanted.value ->> 0"
                " AND target = wanted.value ->> 1 AND relation.type = wanted.value ->> 2"
                f" {_TO_CHUNK.format('relation')} WHERE 1{visible}) WHERE place <= ?",
                (_json(triples), *arguments, most),
            )
            for source, target, type, chunk_id, confidence, description in rows:
                found[source, target, type].append(Evidence(chunk_id, confidence, description))
        return dict(found)

    def passages_of(self, keys: Sequence[str], where: Filter = EVERYTHING, most: int = 20) -> dict[str, list[Evidence]]:
        visible, arguments = _visible("mention", where)
        found: defaultdict[str, list[Evidence]] = defaultdict(list)
        with self._database.read() as db:
            rows = db.execute(
                "SELECT key, chunk_id, confidence, description FROM"
                f" (SELECT mention.key AS key, {_CHUNK_ID} AS chunk_id, confidence, description, row_number() OVER"
                " (PARTITION BY mention.key ORDER BY confidence DESC, chunk.row) AS place"
                " FROM json_each(?) wanted CROSS JOIN mention ON mention.key = wanted.value"
                f" {_TO_CHUNK.format('mention')} WHERE 1{visible}) WHERE place <= ?",
                (_json(keys), *arguments, most),
            )
            for key, chunk_id, confidence, description in rows:
                found[key].append(Evidence(chunk_id, confidence, description))
        return dict(found)

    def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        wanted = [(id, *id.rpartition(":")[::2]) for id in chunk_ids]
        found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        with self._database.read() as db:
            rows = db.execute(
                "SELECT wanted.value ->> 0, mention.key, confidence FROM json_each(?) wanted"
                " CROSS JOIN document ON document.id = wanted.value ->> 1"
                " CROSS JOIN chunk ON chunk.document = document.row"
                " AND chunk.ordinal = CAST(wanted.value ->> 2 AS INTEGER)"
                " CROSS JOIN mention ON mention.document = document.row AND mention.chunk = chunk.row",
                (_json(wanted),),
            )
            for id, key, confidence in rows:
                found[id].append((key, confidence))
        return dict(found)

    def clues(self, kinds: Sequence[str], words: Sequence[str] | None = None, where: Filter = EVERYTHING) -> list[Clue]:
        visible, arguments = _visible("clue", where)
        named = "" if words is None else " AND word IN (SELECT value FROM json_each(?))"
        given = [] if words is None else [_json(words)]
        with self._database.read() as db:
            rows = db.execute(
                "SELECT DISTINCT kind, word, clue.key, note FROM json_each(?) wanted"
                f" CROSS JOIN clue ON kind = wanted.value{named} WHERE 1{visible} ORDER BY kind, word, clue.key, note",
                (_json(kinds), *given, *arguments),
            )
            return [Clue(*row) for row in rows]

    def count_graph(self, where: Filter = EVERYTHING) -> tuple[dict[str, int], dict[str, int]]:
        of_mentions, arguments = _visible("mention", where)
        of_relations, _ = _visible("relation", where)
        with self._database.read() as db:
            entities = db.execute(
                "SELECT kind, count(*) FROM (SELECT mention.type AS kind, row_number() OVER"
                f" (PARTITION BY key ORDER BY {_WEIGHT} DESC, mention.type) AS place"
                f" FROM mention WHERE 1{of_mentions} GROUP BY key, mention.type) WHERE place = 1 GROUP BY kind",
                arguments,
            )
            relations = db.execute(
                f"SELECT kind, count(*) FROM (SELECT relation.type AS kind FROM relation WHERE 1{of_relations}"
                " GROUP BY source, target, relation.type) GROUP BY kind",
                arguments,
            )
            return dict(entities), dict(relations)

    def facts(self, document_id: str) -> Facts:
        with self._database.read() as db:
            row = db.execute("SELECT row FROM document WHERE id = ?", (document_id,)).get
            names = db.execute(_OF_PASSAGES.format("key, ordinal, weight", "name"), (row,))
            mentions = db.execute(
                _OF_PASSAGES.format("key, ordinal, name, type, confidence, description", "mention"), (row,)
            )
            links = db.execute(
                _OF_PASSAGES.format("source, target, type, ordinal, confidence, description", "relation"), (row,)
            )
            clues = db.execute(
                "SELECT kind, word, key, note FROM clue WHERE document = ? ORDER BY kind, word, key, note", (row,)
            )
            return Facts(
                [Name(*each) for each in names],
                [Mention(*each) for each in mentions],
                [Link(*each) for each in links],
                [Clue(*each) for each in clues],
            )

    def graph_version(self) -> str:
        with self._database.read() as db:
            return str(db.execute("SELECT value FROM meta WHERE key = 'graph'").get)


_OF_PASSAGES = (
    "SELECT {0} FROM {1} JOIN chunk ON chunk.row = {1}.chunk WHERE {1}.document = ? ORDER BY ordinal, 1, 2, 3"
)
_TO_CHUNK = "CROSS JOIN chunk ON chunk.row = {0}.chunk CROSS JOIN document ON document.row = {0}.document"


def _visible(table: str, where: Filter) -> tuple[str, list[Any]]:
    """A condition on the rows of a table, to be put behind another."""
    if where == EVERYTHING:
        return "", []
    condition, arguments = where_sql(where)
    return f" AND {table}.document IN (SELECT document.row FROM document WHERE {condition})", arguments


def _json(values: Sequence[Any]) -> str:
    return orjson.dumps(values).decode()

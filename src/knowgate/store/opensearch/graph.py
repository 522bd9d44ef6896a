"""What the store's port asks of the graph.

The facts of a document are one row with nested parts, so they come and go together; everything else is counted from
those rows when it is asked for, as in the embedded store.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import orjson

from knowgate.model import EVERYTHING, Direction, Filter
from knowgate.store.opensearch.connection import Answer
from knowgate.store.opensearch.rows import facts_of, row_id, words
from knowgate.store.opensearch.searching import Searching
from knowgate.store.port import Clue, Definition, Edge, Evidence, Facts, Spelling, Spread, Triple

_PAGE = 10_000
_MOST_ENTITIES = 50_000
"""A cluster gives 65,535 groups at most."""
_KEYS_AT_ONCE = 500
_PASSAGES_AT_ONCE = 50
"""Each with all that it names."""
_GROUPS_AT_ONCE = 200
"""Each is counted exactly, which takes memory."""
_LONGEST_PART = 300
"""Of a name or a description that is looked for: an index does not follow longer ones."""
_SUREST = {"max": {"field": "mentions.confidence"}}
_WEIGHT = {"sum": {"field": "mentions.weight"}}
_EXACT = 40_000
"""Up to so many, different things are counted exactly."""


class GraphRows(Searching):
    """What the store's port asks of the graph."""

    def definitions(
        self, keys: Sequence[str], where: Filter = EVERYTHING, most: int = 9
    ) -> dict[str, list[Definition]]:
        found = self._best("names", "key", list(keys), where, most, ["weight"])
        return {key: [Definition(id, weight) for id, weight in rows] for key, rows in found.items()}

    def passages_of(self, keys: Sequence[str], where: Filter = EVERYTHING, most: int = 20) -> dict[str, list[Evidence]]:
        return self._evidence("mentions", "key", list(keys), where, most)

    def evidence(
        self, triples: Sequence[Triple], where: Filter = EVERYTHING, most: int = 3
    ) -> dict[Triple, list[Evidence]]:
        found = self._evidence("links", "edge", [words(*triple) for triple in triples], where, most)
        return {_triple(edge): evidence for edge, evidence in found.items()}

    def spellings(self, keys: Sequence[str], where: Filter = EVERYTHING) -> list[Spelling]:
        sub = {
            "surest": _SUREST,
            "weight": _WEIGHT,
            "told": {"terms": {"field": "mentions.description", "order": {"_key": "desc"}, "size": 1}},
        }
        found: list[Spelling] = []
        for match in _matches("mentions.key", keys):
            for bucket in self._buckets("mentions", match, "spelling", sub, where):
                key, name, type = orjson.loads(bucket["key"])
                told = next((each["key"] for each in bucket["told"]["buckets"]), "")
                found.append(Spelling(key, name, type, bucket["surest"]["value"], bucket["weight"]["value"], told))
        return sorted(found, key=lambda each: (each.key, each.name, each.type))

    def scan_entities(
        self, where: Filter = EVERYTHING, text: str = "", type: str = "", offset: int = 0, limit: int = 100
    ) -> list[str]:
        of_type: list[Answer] = [{"term": {"mentions.type": type}}] if type else []
        wanted = offset + limit
        if not text:
            return self._most_named(of_type, wanted, where)[offset:]
        part = text.casefold()[:_LONGEST_PART]
        pattern = "".join(f"\\{each}" if each in "\\*?" else each for each in part)
        called, told = ({"wildcard": {f"mentions.{field}": {"value": f"*{pattern}*"}}} for field in ("called", "told"))
        found = self._most_named([*of_type, called], wanted, where)
        if len(found) < wanted:
            found += self._most_named([*of_type, told], wanted, where)
        return list(dict.fromkeys(found))[offset:wanted]

    def _most_named(self, match: list[Answer], wanted: int, where: Filter) -> list[str]:
        order = [{"surest": "desc"}, {"_count": "desc"}, {"_key": "asc"}]
        matching, size = {"bool": {"filter": match}}, min(wanted, _MOST_ENTITIES)
        # Shards know only their own counts; when each hands over more than is asked for, the sums come out right.
        terms = {"field": "mentions.key", "size": size, "shard_size": size * 2 + 1000, "order": order}
        aggs = {"found": {"terms": terms, "aggs": {"surest": _SUREST}}}
        buckets = self._counted("mentions", matching, aggs, where)["found"]["buckets"]
        if wanted > size == len(buckets):
            # There may be more than the cluster puts in order: they are put in order here.
            buckets = self._buckets("mentions", matching, "key", {"surest": _SUREST}, where)
            buckets.sort(key=lambda each: (-each["surest"]["value"], -each["doc_count"], each["key"]))
        return [bucket["key"] for bucket in buckets[:wanted]]

    def spread(self, groups: Sequence[Sequence[str]], where: Filter = EVERYTHING) -> list[Spread]:
        pages = [groups[start : start + _GROUPS_AT_ONCE] for start in range(0, len(groups), _GROUPS_AT_ONCE)]
        return [each for page in pages for each in self._spread(page, where)]

    def _spread(self, groups: Sequence[Sequence[str]], where: Filter) -> list[Spread]:
        everyone = [key for keys in groups for key in keys]
        filters = {str(number): {"terms": {"mentions.key": list(keys)}} for number, keys in enumerate(groups)}
        if not everyone:
            return [Spread(0, 0)] * len(groups)
        sub: Answer = {
            "documents": {"reverse_nested": {}},
            "passages": {"cardinality": {"field": "mentions.chunk", "precision_threshold": _EXACT}},
        }
        match = {"terms": {"mentions.key": everyone}}
        found = self._counted("mentions", match, {"each": {"filters": {"filters": filters}, "aggs": sub}}, where)
        buckets: dict[str, Answer] = found["each"]["buckets"]
        return [
            Spread(bucket["documents"]["doc_count"], bucket["passages"]["value"])
            for bucket in (buckets[str(number)] for number in range(len(groups)))
        ]

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
        near = "links.source" if direction == "out" else "links.target"
        of_types = [] if types is None else [{"terms": {"links.type": list(types)}}]
        sub = {"surest": {"max": {"field": "links.confidence"}}}
        return [
            Edge(*_triple(bucket["key"]), bucket["surest"]["value"], bucket["doc_count"])
            for match in _matches(near, keys)
            for bucket in self._buckets("links", {"bool": {"filter": [match, *of_types]}}, "edge", sub, where)
        ]

    def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        each = {"terms": {"field": "mentions.key", "size": _PAGE}, "aggs": {"surest": _SUREST}}
        found: dict[str, list[tuple[str, float]]] = {}
        documents = tuple({id.rpartition(":")[0] for id in chunk_ids})
        for match in _matches("mentions.chunk", chunk_ids, _PASSAGES_AT_ONCE):
            for passage in self._buckets("mentions", match, "chunk", {"keys": each}, Filter(ids=documents)):
                found[passage["key"]] = [
                    (bucket["key"], bucket["surest"]["value"]) for bucket in passage["keys"]["buckets"]
                ]
        return found

    def clues(self, kinds: Sequence[str], words: Sequence[str] | None = None, where: Filter = EVERYTHING) -> list[Clue]:
        wanted: list[Answer] = [{"terms": {"clues.kind": list(kinds)}}]
        if words is not None:
            wanted.append({"terms": {"clues.word": list(words)}})
        buckets = self._buckets("clues", {"bool": {"filter": wanted}}, "clue", {}, where)
        return sorted((Clue(*orjson.loads(bucket["key"])) for bucket in buckets), key=_in_order)

    def count_graph(self, where: Filter = EVERYTHING) -> tuple[dict[str, int], dict[str, int]]:
        weights: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for bucket in self._buckets("mentions", {"match_all": {}}, "spelling", {"weight": _WEIGHT}, where):
            key, _, type = orjson.loads(bucket["key"])
            weights[key][type] += bucket["weight"]["value"]
        entities = Counter(min((-weight, type) for type, weight in types.items())[1] for types in weights.values())
        different = {"edges": {"cardinality": {"field": "links.edge", "precision_threshold": _EXACT}}}
        types = self._buckets("links", {"match_all": {}}, "type", different, where)
        return dict(entities), {bucket["key"]: bucket["edges"]["value"] for bucket in types}

    def facts(self, document_id: str) -> Facts:
        found = self._cluster.get(self._index, [(row_id("f", document_id), document_id)])
        return facts_of(found[0]["_source"] if found else {})

    # How it is asked

    def _counted(self, path: str, match: Answer, aggs: Answer, where: Filter) -> Answer:
        """Count over the nested parts that match, of the documents that are let through."""
        held = [{"term": {"kind": "facts"}}, {"nested": {"path": path, "query": match}}, *self._filters(where)]
        inside = {"matching": {"filter": match, "aggs": aggs}}
        body = {
            "size": 0,
            "query": {"bool": {"filter": held}},
            "aggs": {"parts": {"nested": {"path": path}, "aggs": inside}},
        }
        return self._search(body)["aggregations"]["parts"]["matching"]

    def _buckets(self, path: str, match: Answer, field: str, sub: Answer, where: Filter) -> list[Answer]:
        """One for each value of the field, however many there are."""
        name = f"{path}.{field}"

        def page(**more: Any) -> Answer:
            # First the groups, then what is in them: else all groups would be filled before most of them go.
            terms = {"field": name, "size": _PAGE, "collect_mode": "breadth_first", **more}
            group = {"terms": terms, "aggs": sub}
            return self._counted(path, match, {"found": group}, where)["found"]

        first = page()
        if not first["sum_other_doc_count"]:
            return first["buckets"]
        counting = {"many": {"cardinality": {"field": name}}}
        many = self._counted(path, match, counting, where)["many"]["value"]
        parts = many // (_PAGE // 2) + 1
        while True:
            pages = [page(include={"partition": part, "num_partitions": parts}) for part in range(parts)]
            if not any(each["sum_other_doc_count"] for each in pages):
                return [bucket for each in pages for bucket in each["buckets"]]
            parts *= 2

    def _evidence(
        self, path: str, field: str, values: list[str], where: Filter, most: int
    ) -> dict[str, list[Evidence]]:
        found = self._best(path, field, values, where, most, ["confidence", "description"])
        return {value: [Evidence(*row) for row in rows] for value, rows in found.items()}

    def _best(
        self, path: str, field: str, values: list[str], where: Filter, most: int, fields: list[str]
    ) -> dict[str, list[tuple[Any, ...]]]:
        """The parts for each value that are best by the first of the fields: (passage, fields …)."""
        columns = [f"{path}.{each}" for each in ("chunk", *fields)]
        order = [{columns[1]: "desc"}, {f"{path}.ordinal": "asc"}, {columns[0]: "asc"}]
        # Columns, because the row of a part is that of its whole document.
        top = {"top_hits": {"size": min(most, 1000), "sort": order, "_source": False, "docvalue_fields": columns}}
        found: dict[str, list[tuple[Any, ...]]] = {}
        for match in _matches(f"{path}.{field}", values):
            for bucket in self._buckets(path, match, field, {"top": top}, where):
                hits = bucket["top"]["hits"]["hits"]
                found[bucket["key"]] = [tuple(hit["fields"].get(each, [""])[0] for each in columns) for hit in hits]
        return found


def _matches(field: str, values: Sequence[str], at_once: int = _KEYS_AT_ONCE) -> list[Answer]:
    distinct = list(dict.fromkeys(values))
    pages = [distinct[start : start + at_once] for start in range(0, len(distinct), at_once)]
    return [{"terms": {field: page}} for page in pages]


def _triple(edge: str) -> Triple:
    source, target, type = orjson.loads(edge)
    return source, target, type


def _in_order(clue: Clue) -> tuple[str, str, str, str]:
    return clue.kind, clue.word, clue.key, clue.note

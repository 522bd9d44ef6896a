"""The store of many machines: an OpenSearch cluster behind the same port as the embedded one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from knowgate.model import EVERYTHING, Chunk, Document, EmbedderIdentity, Filter
from knowgate.store.opensearch.connection import Address, Answer, Cluster
from knowgate.store.opensearch.graph import GraphRows
from knowgate.store.opensearch.indexes import prepare
from knowgate.store.opensearch.records import Records
from knowgate.store.opensearch.rows import chunk_of, document_of, row_id, vectors_of
from knowgate.store.opensearch.schema import LONGEST_WORD, add_space
from knowgate.store.opensearch.search import Rarity, find_nearest, find_words
from knowgate.store.opensearch.view import LIFE_SECONDS
from knowgate.store.opensearch.writes import State, Writer
from knowgate.store.port import (
    Batch,
    Damage,
    Matrix,
    Pending,
    Record,
    Scored,
    Space,
    Stats,
    Vector,
    VectorWrite,
    new_id,
)
from knowgate.store.words import query_terms

_LEFT_BEHIND_SECONDS = 3600
"""Nobody takes as long to write a document: what is older was left by a crash."""
_SETTLED_SECONDS = 5.0
_TURNS = 50
_CHECKED_AT_ONCE = 1000


class OpenSearchStore(GraphRows):
    visibility_lag = LIFE_SECONDS + 1.0
    """The index refreshes itself every second, and searches of the same second share a view."""

    def __init__(self, address: Address) -> None:
        super().__init__(Cluster(address))
        prepare(self._cluster)
        self._records = Records(self._cluster)
        self._writer = Writer(self._cluster)
        self._rarity = Rarity(self._cluster)
        self._graph = "", 0.0
        """The token of the newest facts, and since when we know it: clocks of other machines may be wrong."""

    def apply(self, batch: Batch) -> None:
        def held() -> None:
            self._records.check(batch.holds)

        held()
        try:
            if batch.delete:
                self._writer.delete(batch.delete)
            if batch.documents:
                self._writer.put(batch.documents, held)
            for vectors in _one_each(batch.vectors):
                self._writer.put_vectors(vectors, self.space())
        finally:
            # Even of a batch that failed in the middle, something may be there to be seen.
            if batch.documents or batch.delete or batch.vectors:
                self._wrote()
        records = list(batch.records)
        if batch.documents or batch.delete:
            records.append(Record("store", "graph", {"token": new_id()}))
        self._records.write(records, batch.drop, batch.holds)

    # Documents and their passages

    def documents(self, ids: Sequence[str]) -> dict[str, Document]:
        return {id: document_of(state.row) for id, state in self._writer.states(ids).items()}

    def scan_documents(self, where: Filter = EVERYTHING, after: str = "", limit: int = 100) -> list[Document]:
        name, _, last = after.rpartition("\x00")  # a name may hold one, an id does not
        name = name[:LONGEST_WORD]
        filters = [{"term": {"kind": "document"}}, *self._filters(where)]
        rows = self._rows(filters, ["name", "document"], ["kept"], [name, last] if after else [], limit)
        return [document_of(row) for row in islice(rows, limit)]

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        asked = set(ids)
        wanted = [(document_id, ordinal) for document_id, _, ordinal in (id.rpartition(":") for id in asked)]
        generations: dict[str, str] = {}
        for _ in range(_TURNS):
            states = self._writer.states([document_id for document_id, _ in wanted])
            found = self._chunks([(states[id], ordinal) for id, ordinal in wanted if id in states])
            there = {id for id in asked if _is_chunk(id, states)}
            before, generations = generations, {id: state.row["generation"] for id, state in states.items()}
            # What is still not there though nobody has written meanwhile is lost, and the others are not.
            if there <= found.keys() or before == generations:
                return {id: found[id] for id in there & found.keys()}
        return {}

    def document_chunks(self, document_id: str) -> list[Chunk]:
        generation = ""
        for _ in range(_TURNS):
            state = self._writer.states([document_id]).get(document_id)
            if state is None:
                return []
            chunks = self._chunks([(state, ordinal) for ordinal in range(state.row["chunks"])])
            before, generation = generation, state.row["generation"]
            if len(chunks) == state.row["chunks"] or before == generation:
                return sorted(chunks.values(), key=lambda chunk: chunk.ordinal)
        return []

    def _chunks(self, wanted: Sequence[tuple[State, object]]) -> dict[str, Chunk]:
        """Those of a document's present generation; fewer when it has been written meanwhile."""
        rows = [(state.row["document"], state.row["generation"], ordinal) for state, ordinal in wanted]
        found = self._cluster.get(self._index, [(row_id("c", *row), row[0]) for row in rows], ["kept"])
        chunks = [chunk_of(each["_source"]) for each in found]
        return {chunk.id: chunk for chunk in chunks}

    def scan_chunks(self, where: Filter = EVERYTHING, offset: int = 0, limit: int = 100) -> list[Chunk]:
        filters = [{"term": {"kind": "document"}}, *self._filters(where)]
        wanted: list[str] = []
        for row in self._rows(filters, ["name", "document"], ["document", "chunks"], []):
            wanted += [f"{row['document']}:{ordinal}" for ordinal in range(offset, row["chunks"])]
            offset = max(offset - row["chunks"], 0)
            if len(wanted) >= limit:
                break
        found = self.chunks(wanted[:limit])
        return [found[id] for id in wanted if id in found]

    # Search

    def search_text(self, query: str, k: int, where: Filter = EVERYTHING) -> list[Scored]:
        terms, filters = query_terms(query), self._filters(where)
        self._show_own()
        return self._views.look(lambda view: find_words(view, self._rarity, terms, k, filters))

    def search_vector(self, vector: Vector, k: int, where: Filter = EVERYTHING) -> list[Scored]:
        space, filters = self.space(), self._filters(where)
        self._show_own()
        return self._views.look(lambda view: find_nearest(view, space, vector, k, filters))

    # Vectors

    def space(self) -> Space | None:
        found = self._records.get("store", "space")
        return Space(EmbedderIdentity(**found.value["identity"]), found.value["generation"]) if found else None

    def start_space(self, identity: EmbedderIdentity) -> Space:
        while True:
            before = self._records.get("store", "space")
            space = Space(identity, before.value["generation"] + 1 if before else 1)
            add_space(self._cluster, space.generation, identity.dimension)
            value = {"identity": identity, "generation": space.generation}
            if self._records.put_if(Record("store", "space", value), before.version if before else 0):
                break
            faster = self.space()
            if faster is not None and faster.identity == identity:
                return faster
        self._wrote()
        self._drop_vectors_before(space)
        return space

    def _drop_vectors_before(self, space: Space) -> None:
        """Nobody looks at the older ones any more; they go when the cluster finds the time."""
        old = {"bool": {"filter": [{"term": {"kind": "vector"}}, {"range": {"space": {"lt": space.generation}}}]}}
        how = {"conflicts": "proceed", "wait_for_completion": "false"}
        self._cluster.ask("POST", f"/{self._index}/_delete_by_query", {"query": old}, how)

    def pending(self, limit: int, after: str = "", among: Sequence[str] | None = None) -> list[Pending]:
        space = self.space()
        generation = space.generation if space else 0
        if among is None:
            filters = [{"term": {"kind": "document"}}, _waiting(generation)]
            rows = self._rows(filters, ["document"], ["document"], [after] if after else [])
            ids = (row["document"] for row in rows)
        else:
            ids = iter(sorted(id for id in among if id > after))
        found: list[Pending] = []
        # What others have embedded in the last second still seems to wait.
        while len(found) < limit and (page := list(islice(ids, limit - len(found)))):
            states = self._writer.states(page)
            found += [waiting for id in page if id in states and (waiting := self._pending(states[id], generation))]
        return found

    def _pending(self, state: State, generation: int) -> Pending | None:
        row = state.row
        embedded = row["embedded"] if row["space"] == generation else 0
        chunks = self._chunks([(state, ordinal) for ordinal in range(embedded, row["chunks"])])
        if not chunks:
            return None
        return Pending(row["document"], row["revision"], sorted(chunks.values(), key=lambda chunk: chunk.ordinal))

    def document_vectors(self, document_id: str) -> Matrix | None:
        state, space = self._writer.states([document_id]).get(document_id), self.space()
        if state is None or space is None or not state.row["chunks"] or state.row["space"] != space.generation:
            return None
        row = state.row
        packed = self._writer.packed_vectors(document_id, row["generation"], row["space"], row["embedded"])
        return vectors_of(packed) if len(packed) == row["chunks"] else None

    # Records

    def record(self, kind: str, id: str) -> Record | None:
        return self._records.get(kind, id)

    def put_if(self, record: Record, expected_version: int) -> Record | None:
        return self._records.put_if(record, expected_version)

    def scan_records(self, kind: str, prefix: str = "", after: str = "", limit: int = 1000) -> list[Record]:
        return self._records.scan(kind, prefix, after, limit)

    def graph_version(self) -> str:
        found = self._records.get("store", "graph")
        if found is None:
            return ""
        token, now = found.value["token"], time.monotonic()
        if self._graph[0] != token:
            self._graph = token, now
        # While the newest facts may not be seen yet, what is made of them may be out of date a moment later.
        return token + (f"@{now:.0f}" if now - self._graph[1] < _SETTLED_SECONDS else "")

    # House-keeping

    def stats(self, where: Filter = EVERYTHING) -> Stats:
        space = self.space()
        generation = space.generation if space else 0
        body: dict[str, Any] = {
            "size": 0,
            "track_total_hits": True,
            "query": {"bool": {"filter": [{"term": {"kind": "document"}}, *self._filters(where)]}},
            "aggs": {
                "chunks": {"sum": {"field": "chunks"}},
                "vectors": {"filter": {"term": {"space": generation}}, "aggs": {"sum": {"sum": {"field": "embedded"}}}},
                "pending": {"filter": _waiting(generation)},
                "bytes": {"sum": {"field": "size"}},
                "types": {"terms": {"field": "type", "size": 1000}},
            },
        }
        answer = self._search(body)
        found = answer["aggregations"]
        return Stats(
            answer["hits"]["total"]["value"],
            int(found["chunks"]["value"]),
            int(found["vectors"]["sum"]["value"]),
            found["pending"]["doc_count"],
            int(found["bytes"]["value"]),
            {bucket["key"]: bucket["doc_count"] for bucket in found["types"]["buckets"]},
        )

    def maintain(self) -> None:
        oldest = f"{int((time.time() - _LEFT_BEHIND_SECONDS) * 1e9):016x}"
        filters: list[Answer] = [{"term": {"kind": "note"}}, {"range": {"generation": {"lt": oldest}}}]
        fields = ["document", "generation", "chunks", "space", "embedded"]
        self._writer.tidy(list(self._rows(filters, ["generation"], fields, [])))
        if space := self.space():
            self._drop_vectors_before(space)

    def ready(self) -> None:
        from knowgate.store.opensearch.health import check_ready

        check_ready(self._cluster)

    def check(self, thorough: bool = False) -> list[Damage]:
        from knowgate.store.opensearch.health import damage

        found = list(damage(self._cluster).values())
        if thorough and not found and (missing := sum(self._missing_passages())):
            what = f"{missing} passages are missing."
            found.append(Damage(what, "Restore the last snapshot, or ingest the documents again with --force."))
        return found

    def _missing_passages(self) -> Iterator[int]:
        """Of each document."""
        documents = self._rows([{"term": {"kind": "document"}}], ["document"], ["generation", "chunks"], [])
        while page := list(islice(documents, _CHECKED_AT_ONCE)):
            wanted = [{"term": {"kind": "chunk"}}, {"terms": {"generation": [row["generation"] for row in page]}}]
            each = {"terms": {"field": "generation", "size": len(page)}}
            answer = self._search({"size": 0, "query": {"bool": {"filter": wanted}}, "aggs": {"each": each}})
            there = {bucket["key"]: bucket["doc_count"] for bucket in answer["aggregations"]["each"]["buckets"]}
            yield from (row["chunks"] - there.get(row["generation"], 0) for row in page)

    def close(self) -> None:
        self._views.close()
        self._cluster.close()


def _waiting(generation: int) -> Answer:
    """Documents that want vectors: all those of another space, too."""
    other = {"bool": {"must_not": {"term": {"space": generation}}}}
    some = {"bool": {"should": [{"term": {"waiting": True}}, other], "minimum_should_match": 1}}
    return {"bool": {"filter": [{"range": {"chunks": {"gt": 0}}}, some]}}


def _is_chunk(id: str, states: dict[str, State]) -> bool:
    document_id, _, ordinal = id.rpartition(":")
    state = states.get(document_id)
    if state is None or not (ordinal.isascii() and ordinal.isdecimal()):
        return False
    return str(int(ordinal)) == ordinal and int(ordinal) < state.row["chunks"]


def _one_each(writes: Sequence[VectorWrite]) -> list[list[VectorWrite]]:
    """In rounds with at most one write of a document each: the next builds on what the one before has added."""
    rounds: list[list[VectorWrite]] = []
    turns: dict[str, int] = {}
    for write in writes:
        turn = turns[write.document_id] = turns.get(write.document_id, -1) + 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(write)
    return rounds

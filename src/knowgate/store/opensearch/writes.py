"""What a batch does to the index.

There are no transactions, so a document is written in steps, each acknowledged before the next: its rows under a new
generation, which nobody sees; its facts; its own row, which names the generation; and then the rows of the generation
before are removed. A note of what is being written lies beside, so that whoever finds it can tidy up after a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from knowgate.errors import ConflictError
from knowgate.store.opensearch.connection import Cluster, Write
from knowgate.store.opensearch.rows import (
    ABOUT,
    Source,
    about,
    chunk_row,
    document_row,
    facts_row,
    row_id,
    vector_row,
    vectors_of,
)
from knowgate.store.opensearch.schema import knowledge_of
from knowgate.store.port import DocumentWrite, Space, VectorWrite, new_id

_TURNS = 20
"""How often somebody else may write the same document first."""


@dataclass(frozen=True, slots=True)
class State:
    """A document's own row, and which write made it."""

    row: Source
    seen: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    write: DocumentWrite
    row: Source
    before: State | None

    @property
    def moves(self) -> bool:
        """Whether rows have to be written under a new generation."""
        return self.before is None or self.before.row["generation"] != self.row["generation"]


class Writer:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._index = knowledge_of(cluster)

    def states(self, document_ids: Sequence[str]) -> dict[str, State]:
        found = self._cluster.get(self._index, [(row_id("d", id), id) for id in dict.fromkeys(document_ids)])
        return {
            each["_source"]["document"]: State(each["_source"], (each["_seq_no"], each["_primary_term"]))
            for each in found
        }

    # Documents

    def put(self, writes: Sequence[DocumentWrite], held: Callable[[], None]) -> None:
        """`held` says no when the caller has lost what allows him to write."""
        left = {write.document.id: write for write in writes}
        for _ in range(_TURNS):
            if not left:
                return
            # Facts first: whoever writes the whole document after this look is met at the one or the other.
            seen, states = self._seen_facts(list(left)), self.states(list(left))
            plans = [_plan(write, states.get(id)) for id, write in left.items()]
            self._cluster.bulk([row for plan in plans if plan.moves for row in self._passages(plan)])
            held()
            plans = self._noted(plans)
            told = self._cluster.bulk([self._facts(plan, seen.get(plan.write.document.id)) for plan in plans])
            # If somebody else's facts came between, the next turn goes on from there.
            ready = [plan for plan, ok in zip(plans, told, strict=True) if ok or self._abandon(plan)]
            flipped = zip(ready, self._cluster.bulk([self._flip(plan) for plan in ready]), strict=True)
            written = [plan for plan, ok in flipped if ok or self._is_written(plan)]
            self._cluster.bulk([row for plan in written for row in self._tidy_after(plan)])
            for plan in written:
                del left[plan.write.document.id]
        if left:
            raise _contended(next(iter(left)))

    def _noted(self, plans: Sequence[Plan]) -> list[Plan]:
        """Without those that took so long that somebody has tidied up after us; they begin again."""
        notes = {plan.row["generation"]: plan.write.document.id for plan in plans if plan.moves}
        asked = [(row_id("n", id, generation), id) for generation, id in notes.items()]
        found = {each["_source"]["generation"] for each in self._cluster.get(self._index, asked, ["generation"])}
        return [plan for plan in plans if not plan.moves or plan.row["generation"] in found]

    def _passages(self, plan: Plan) -> list[Write]:
        id, generation = plan.write.document.id, plan.row["generation"]
        shared = about(plan.write.document)
        old = plan.before.row["generation"] if plan.before else ""
        rows = [self._note(id, generation, len(plan.write.chunks), plan.row)]
        if old and plan.before:
            rows.append(self._note(id, old, plan.before.row["chunks"], plan.before.row))
        for chunk in plan.write.chunks:
            row = chunk_row(shared, chunk, generation)
            rows.append(Write(self._index, "index", row_id("c", id, generation, chunk.ordinal), row, id))
        space, embedded = plan.row["space"], plan.row["embedded"]
        kept = self.packed_vectors(id, old, space, embedded)
        if embedded and len(kept) == embedded:  # else the document has changed, and this write will be refused
            for ordinal, vector in enumerate(vectors_of(kept)):
                row = vector_row(shared, vector, generation, space, ordinal)
                rows.append(Write(self._index, "index", row_id("v", id, generation, space, ordinal), row, id))
        return rows

    def _note(self, id: str, generation: str, chunks: int, row: Source) -> Write:
        values = {
            "kind": "note", "document": id, "generation": generation, "chunks": chunks,
            "space": row["space"], "embedded": row["embedded"],
        }  # fmt: skip
        return Write(self._index, "index", row_id("n", id, generation), values, id)

    def _facts(self, plan: Plan, seen: tuple[int, int] | None) -> Write:
        """Also of a document that has none: who writes late must meet what was written meanwhile."""
        id = plan.write.document.id
        row = facts_row(about(plan.write.document), plan.write.facts)
        return Write(self._index, "index" if seen else "create", row_id("f", id), row, id, seen)

    def _seen_facts(self, document_ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        found = self._cluster.get(self._index, [(row_id("f", id), id) for id in document_ids], ["document"])
        return {each["_source"]["document"]: (each["_seq_no"], each["_primary_term"]) for each in found}

    def _drop_facts(self, seen: dict[str, tuple[int, int]]) -> None:
        self._cluster.bulk([Write(self._index, "delete", row_id("f", id), None, id, seen[id]) for id in seen])

    def _flip(self, plan: Plan) -> Write:
        id, before = plan.write.document.id, plan.before
        action, seen = ("index", before.seen) if before else ("create", None)
        return Write(self._index, action, row_id("d", id), plan.row, id, seen)

    def _is_written(self, plan: Plan) -> bool:
        """A write that had to be tried again may be refused because the first attempt got through."""
        state = self.states([plan.write.document.id]).get(plan.write.document.id)
        if state and plan.moves and state.row["generation"] == plan.row["generation"]:
            return True
        return self._abandon(plan)

    def _abandon(self, plan: Plan) -> bool:
        """Nobody has seen its rows; False, because nothing was written."""
        if plan.moves:
            self._cluster.bulk(self._gone(plan.write.document.id, plan.row))
        return False

    def _tidy_after(self, plan: Plan) -> list[Write]:
        if not plan.moves:
            return []
        id = plan.write.document.id
        done = Write(self._index, "delete", row_id("n", id, plan.row["generation"]), None, id)
        return [done, *(self._gone(id, plan.before.row) if plan.before else ())]

    def _gone(self, id: str, row: Source) -> list[Write]:
        """All rows of a generation, and at last the note that they are to go."""
        generation, space = row["generation"], row["space"]
        names = [row_id("c", id, generation, ordinal) for ordinal in range(row["chunks"])]
        names += [row_id("v", id, generation, space, ordinal) for ordinal in range(row["embedded"])]
        return [Write(self._index, "delete", name, None, id) for name in (*names, row_id("n", id, generation))]

    def delete(self, document_ids: Sequence[str]) -> None:
        left = list(dict.fromkeys(document_ids))
        for _ in range(_TURNS):
            facts, states = self._seen_facts(left), self.states(left)
            self._drop_facts({id: seen for id, seen in facts.items() if id not in states})  # a crash has left them
            left = [id for id in left if id in states]
            if not left:
                return
            rows = [state.row for state in states.values()]
            self._cluster.bulk([self._note(row["document"], row["generation"], row["chunks"], row) for row in rows])
            self._cluster.bulk(
                [Write(self._index, "delete", row_id("d", id), None, id, states[id].seen) for id in left]
            )
            after = self.states(left)
            self._drop_facts({id: facts[id] for id in left if id in facts and id not in after})
            for id, state in states.items():
                if id not in after or after[id].row["generation"] != state.row["generation"]:
                    self._cluster.bulk(self._gone(id, state.row))
        raise _contended(left[0])

    def tidy(self, notes: Sequence[Source]) -> None:
        """Remove what a crash has left: of each generation that a note names, unless it is the document's own."""
        states = self.states([note["document"] for note in notes])
        self._drop_facts(self._seen_facts([id for id in {note["document"] for note in notes} if id not in states]))
        for note in notes:
            id, generation = note["document"], note["generation"]
            if id in states and states[id].row["generation"] == generation:
                self._cluster.bulk([Write(self._index, "delete", row_id("n", id, generation), None, id)])
            else:
                self._cluster.bulk(self._gone(id, note))

    # Vectors

    def put_vectors(self, writes: Sequence[VectorWrite], space: Space | None) -> None:
        if space is None:
            return
        states = self.states([write.document_id for write in writes])
        fitting = [
            (write, states[write.document_id])
            for write in writes
            if write.generation == space.generation
            and write.document_id in states
            and _fits(write, states[write.document_id].row, space)
        ]
        self._cluster.bulk([row for write, state in fitting for row in self._vectors(write, state.row)])
        flips: list[Write] = []
        for write, state in fitting:
            embedded = write.first + len(write.vectors)
            row = state.row | {
                "space": space.generation, "embedded": embedded, "waiting": embedded < state.row["chunks"]
            }  # fmt: skip
            id = write.document_id
            flips.append(Write(self._index, "index", row_id("d", id), row, id, state.seen))
        for (write, state), done in zip(fitting, self._cluster.bulk(flips), strict=True):
            if not done:
                self._drop_vectors(write, state.row)

    def _vectors(self, write: VectorWrite, row: Source) -> list[Write]:
        id, generation = write.document_id, row["generation"]
        shared = _shared(row)
        return [
            Write(
                self._index, "index", row_id("v", id, generation, write.generation, ordinal),
                vector_row(shared, vector, generation, write.generation, ordinal), id,
            )
            for ordinal, vector in enumerate(write.vectors, write.first)
        ]  # fmt: skip

    def _drop_vectors(self, write: VectorWrite, row: Source) -> None:
        """The document was written meanwhile: what was added to its older rows is theirs, and they are gone."""
        state = self.states([write.document_id]).get(write.document_id)
        if state is None or state.row["generation"] != row["generation"]:
            lost = self._vectors(write, row)
            self._cluster.bulk([Write(each.index, "delete", each.id, None, each.routing) for each in lost])

    def packed_vectors(self, id: str, generation: str, space: int, count: int) -> list[str]:
        """In order; fewer when the document has changed meanwhile."""
        names = [row_id("v", id, generation, space, ordinal) for ordinal in range(count)]
        found = self._cluster.get(self._index, [(name, id) for name in names], ["kept"])
        kept = {each["_id"]: each["_source"]["kept"] for each in found}
        return [kept[name] for name in names if name in kept]


def _plan(write: DocumentWrite, before: State | None) -> Plan:
    row = document_row(write.document, write.chunks, new_id())
    if before is None:
        return Plan(write, row, None)
    if before.row["passages"] == row["passages"]:
        row |= {key: before.row[key] for key in ("revision", "embedded", "space", "waiting")}
    if before.row["shape"] == row["shape"]:
        row["generation"] = before.row["generation"]
    return Plan(write, row, before)


def _shared(row: Source) -> Source:
    return {key: row[key] for key in ABOUT}


def _fits(write: VectorWrite, row: Source, space: Space) -> bool:
    embedded = row["embedded"] if row["space"] == space.generation else 0
    if row["revision"] != write.revision or embedded != write.first:
        return False
    shape: Any = write.vectors.shape
    if len(shape) != 2 or not 0 < shape[0] <= row["chunks"] - embedded or shape[1] != space.identity.dimension:
        raise ConflictError(
            "wrong_vectors",
            f"The vectors of {write.document_id} have the shape {shape}, which does not fit its passages.",
            "Check that the embedder is the one it says it is.",
        )
    return True


def _contended(id: str) -> ConflictError:
    return ConflictError("document_contended", f"Others keep writing the document {id}.", "Try again.")

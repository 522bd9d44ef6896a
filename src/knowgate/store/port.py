"""What a store must do. The embedded SQLite store is the default; a cluster fits behind the same port.

Promises, the same for every store:
- an acknowledged `apply` survives a crash of any process;
- reads by id see a write at once; searches see it after `refresh()` or within `visibility_lag` seconds;
- one document's chunks appear and vanish together;
- nothing is promised across documents, so no feature may need it;
- fusion, graph walks and permissions are written once, above the port.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from knowgate.model import EVERYTHING, Chunk, Direction, Document, EmbedderIdentity, Filter

Vector = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """Anything kept by name that is not knowledge: a task, a lease, a chat, a filter, a key."""

    kind: str
    id: str
    value: Json
    version: int = 0


@dataclass(frozen=True, slots=True)
class Name:
    """That a passage, given by its ordinal, defines a name; `weight` (0 to 1) says how surely the name means it."""

    key: str
    ordinal: int
    weight: float


@dataclass(frozen=True, slots=True)
class Mention:
    """That a passage names an entity, which is known by what all spellings of its name share: the key."""

    key: str
    ordinal: int
    name: str
    type: str
    confidence: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """That a passage states a relation between two entities, given by their keys."""

    source: str
    target: str
    type: str
    ordinal: int
    confidence: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class Clue:
    """What a document knows about its entities that matters only in the light of all others, such as another name."""

    kind: str
    word: str
    key: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a document adds to the graph. All of it goes with the document."""

    names: Sequence[Name] = ()
    mentions: Sequence[Mention] = ()
    """At most one of an entity in a passage."""
    links: Sequence[Link] = ()
    """At most one of its kind between two entities in a passage."""
    clues: Sequence[Clue] = ()


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """A document with everything derived from it; replaces what was there under its id.

    Passages that are the same as before keep their vectors.
    """

    document: Document
    chunks: Sequence[Chunk]
    facts: Facts = Facts()


@dataclass(frozen=True, slots=True)
class VectorWrite:
    """Vectors of one document's passages, in order, from the `first` that had none on.

    Dropped when the passages or the vector space have changed since they were handed out, or others came before.
    """

    document_id: str
    revision: str
    generation: int
    vectors: Matrix
    first: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written together. Embedded: one transaction, all or nothing. Writing a batch twice is harmless."""

    documents: Sequence[DocumentWrite] = ()
    vectors: Sequence[VectorWrite] = ()
    delete: Sequence[str] = ()
    """Ids of documents; everything derived from them goes too."""
    records: Sequence[Record] = ()
    """Put whatever the stored version is."""
    drop: Sequence[tuple[str, str]] = ()
    """(kind, id) of records."""
    holds: Sequence[Record] = ()
    """Records that must still have the version given here, or nothing is written: ConflictError `record_changed`."""


@dataclass(frozen=True, slots=True)
class Space:
    """The one vector space of the index. A new generation means that all vectors before it are gone."""

    identity: EmbedderIdentity
    generation: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A document that wants vectors, and the passages that have none yet: all, or those at its end."""

    document_id: str
    revision: str
    chunks: Sequence[Chunk]


@dataclass(frozen=True, slots=True)
class Scored:
    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Definition:
    chunk_id: str
    weight: float
    """How surely the name means this passage, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """One of the names and types under which passages speak of an entity."""

    key: str
    name: str
    type: str
    confidence: float
    """Of the surest passage."""
    weight: float
    """How much the passages that say so count together."""
    description: str


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    type: str
    confidence: float
    """Of the surest passage."""
    passages: int


@dataclass(frozen=True, slots=True)
class Evidence:
    chunk_id: str
    confidence: float
    description: str = ""


Triple = tuple[str, str, str]
"""Source, target and type of a relation."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Over how much of the documents something is spoken of."""

    documents: int
    passages: int


@dataclass(frozen=True, slots=True)
class Stats:
    documents: int
    chunks: int
    vectors: int
    pending: int
    """Documents that wait for their vectors."""
    bytes: int
    by_type: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Damage:
    what: str
    """In a sentence."""
    fix: str


class Store(Protocol):
    visibility_lag: float

    def apply(self, batch: Batch) -> None: ...

    # Documents and their passages
    def documents(self, ids: Sequence[str]) -> dict[str, Document]: ...
    def scan_documents(self, where: Filter = EVERYTHING, after: str = "", limit: int = 100) -> list[Document]:
        """In order of (name, id); `after` is the `scan_key` of the last one seen."""
        ...

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]: ...
    def document_chunks(self, document_id: str) -> list[Chunk]: ...
    def scan_chunks(self, where: Filter = EVERYTHING, offset: int = 0, limit: int = 100) -> list[Chunk]:
        """In order of document name, then place in the document."""
        ...

    # Search: filters are applied inside, never afterwards. Scores rise with relevance: words as a share (0 to 1) of
    # what a perfect passage would have, vectors as the cosine.
    def search_text(self, query: str, k: int, where: Filter = EVERYTHING) -> list[Scored]: ...
    def search_vector(self, vector: Vector, k: int, where: Filter = EVERYTHING) -> list[Scored]: ...

    # The graph: what the passages of the documents that are let through say, and nothing else.
    def definitions(
        self, keys: Sequence[str], where: Filter = EVERYTHING, most: int = 9
    ) -> dict[str, list[Definition]]:
        """The passages that define each name, at most so many of a name."""
        ...

    def spellings(self, keys: Sequence[str], where: Filter = EVERYTHING) -> list[Spelling]: ...
    def scan_entities(
        self, where: Filter = EVERYTHING, text: str = "", type: str = "", offset: int = 0, limit: int = 100
    ) -> list[str]:
        """Keys of entities, the surest and most named first: those of the type in some passage, and with the text in
        a name or, behind all of these, in a description, in any case."""
        ...

    def spread(self, groups: Sequence[Sequence[str]], where: Filter = EVERYTHING) -> list[Spread]:
        """How much speaks of any of the keys of each group."""
        ...

    def neighbours(
        self,
        keys: Sequence[str],
        direction: Direction,
        where: Filter = EVERYTHING,
        types: Sequence[str] | None = None,
    ) -> list[Edge]:
        """The relations that leave (out) or reach (in) any of these entities, one for each type between two.

        Only of these types, if they are named.
        """
        ...

    def evidence(
        self, triples: Sequence[Triple], where: Filter = EVERYTHING, most: int = 3
    ) -> dict[Triple, list[Evidence]]:
        """The passages that state each relation, the surest first."""
        ...

    def passages_of(self, keys: Sequence[str], where: Filter = EVERYTHING, most: int = 20) -> dict[str, list[Evidence]]:
        """The passages that name each entity, the surest first."""
        ...

    def mentions_in(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """The entities that each passage names, and how surely."""
        ...

    def clues(
        self, kinds: Sequence[str], words: Sequence[str] | None = None, where: Filter = EVERYTHING
    ) -> list[Clue]: ...
    def count_graph(self, where: Filter = EVERYTHING) -> tuple[dict[str, int], dict[str, int]]:
        """How many keys have each type, that is the one of most weight, and how many relations have each type."""
        ...

    def facts(self, document_id: str) -> Facts:
        """All that the document adds, in a fixed order."""
        ...

    def graph_version(self) -> str:
        """Another one when the facts of any document may have changed."""
        ...

    # Vectors
    def space(self) -> Space | None: ...
    def start_space(self, identity: EmbedderIdentity) -> Space:
        """Begin a new vector space; all vectors are dropped, every document waits for new ones."""
        ...

    def pending(self, limit: int, after: str = "", among: Sequence[str] | None = None) -> list[Pending]:
        """In order of document id; of these documents, if they are named."""
        ...

    def document_vectors(self, document_id: str) -> Matrix | None:
        """In chunk order; None while they are missing."""
        ...

    # Records, with compare-and-set
    def record(self, kind: str, id: str) -> Record | None: ...
    def put_if(self, record: Record, expected_version: int) -> Record | None:
        """Write if the stored version is `expected_version` (0: not there yet); None when it is not.

        No record ever has a version again that it had before, not even after it was dropped and made anew.
        """
        ...

    def scan_records(self, kind: str, prefix: str = "", after: str = "", limit: int = 1000) -> list[Record]: ...

    # House-keeping
    def stats(self, where: Filter = EVERYTHING) -> Stats: ...
    def refresh(self) -> None: ...
    def maintain(self) -> None:
        """Build what makes searching fast. Safe to skip, safe to interrupt, safe in several processes."""
        ...

    def ready(self) -> None:
        """Raises what keeps it from reading or writing at this moment; soon."""
        ...

    def check(self, thorough: bool = False) -> list[Damage]:
        """Empty when all is well."""
        ...

    def close(self) -> None: ...


def scan_key(document: Document) -> str:
    return f"{document.name}\x00{document.id}"


def new_id() -> str:
    """Time first, so that ids sort by age."""
    return f"{time.time_ns():016x}{secrets.token_hex(2)}"


def scan_all_records(store: Store, kind: str, prefix: str = "") -> Iterator[Record]:
    """In order of their ids."""
    after = ""
    while page := store.scan_records(kind, prefix, after):
        yield from page
        after = page[-1].id


def scan_all_documents(
    store: Store, where: Filter = EVERYTHING, after: str = "", page: int = 500
) -> Iterator[Document]:
    while batch := store.scan_documents(where, after, page):
        yield from batch
        after = scan_key(batch[-1])

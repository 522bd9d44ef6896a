"""The indexes: what they are called, what is in them, and which version of both is in force.

The knowledge is one index. All that belongs to a document is routed by its id, so it lies in one shard and one look at
that shard sees it in one state. Records have an index of their own, small and refreshed before it is scanned.
"""

from __future__ import annotations

from typing import Any

from knowgate.store.opensearch.connection import Cluster

SCHEMA = 1
LONGEST_WORD = 8000
"""In characters: Lucene takes 32,766 bytes as one term."""

_CARE = 256
"""How many candidates are looked at to link a vector to its neighbours. With 256 instead of 100 indexing takes twice as
long, still far less than the model, and 0.96 instead of 0.91 of the true ten nearest among 100,000 are found."""
_KEPT = {"type": "keyword", "index": False, "doc_values": False}
_WORD = {"type": "keyword", "ignore_above": LONGEST_WORD}
_COUNT = {"type": "integer"}
_REAL = {"type": "double"}


def _nested(**fields: Any) -> dict[str, Any]:
    return {"type": "nested", "dynamic": "strict", "properties": fields}


KNOWLEDGE: dict[str, Any] = {
    "kind": {"type": "keyword"},
    "document": {"type": "keyword"},
    "name": _WORD,
    "source": _WORD,
    "type": _WORD,
    "mime": _WORD,
    "owner": _WORD,
    "modified_at": _REAL,
    "fields": _WORD,
    "generation": {"type": "keyword"},
    "kept": _KEPT,
    # Of a document
    "revision": _KEPT,
    "passages": _KEPT,
    "shape": _KEPT,
    "size": _REAL,
    "chunks": _COUNT,
    "embedded": _COUNT,
    "waiting": {"type": "boolean"},
    # Of a passage or its vector
    "ordinal": _COUNT,
    "space": _COUNT,
    # Our own terms as numbers, so that words are cut, folded and stemmed as in the embedded store.
    "terms": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
    # Of the one row that holds a document's facts
    "names": _nested(key=_WORD, ordinal=_COUNT, chunk=_WORD, weight=_REAL),
    "mentions": _nested(
        key=_WORD, ordinal=_COUNT, chunk=_WORD, name=_KEPT, type=_WORD, confidence=_REAL, weight=_REAL,
        description=_WORD, spelling=_WORD, called=_WORD, told=_WORD,
    ),
    "links": _nested(
        source=_WORD, target=_WORD, type=_WORD, ordinal=_COUNT, chunk=_WORD, confidence=_REAL, description=_WORD,
        edge=_WORD,
    ),
    "clues": _nested(kind=_WORD, word=_WORD, key=_KEPT, note=_KEPT, clue=_WORD),
}  # fmt: skip

RECORDS: dict[str, Any] = {"kind": {"type": "keyword"}, "id": _WORD, "value": _KEPT, "stamp": _KEPT}


def knowledge_of(cluster: Cluster) -> str:
    return f"{cluster.address.prefix}-knowledge"


def records_of(cluster: Cluster) -> str:
    return f"{cluster.address.prefix}-records"


def vector_field(generation: int, dimension: int) -> str:
    """A field for each vector space: what the one before holds is not in the way of a search."""
    return f"vector_{generation}_{dimension}"


def add_space(cluster: Cluster, generation: int, dimension: int) -> None:
    method = {
        "name": "hnsw", "engine": "lucene", "space_type": "cosinesimil",
        "parameters": {"m": 16, "ef_construction": _CARE},
    }  # fmt: skip
    field = {"type": "knn_vector", "dimension": dimension, "method": method}
    body = {"properties": {vector_field(generation, dimension): field}}
    cluster.ask("PUT", f"/{knowledge_of(cluster)}/_mapping", body, patient=True)

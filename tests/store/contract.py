"""What the tests of every store speak of: small documents in one line, and what a plain loop would find in them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from knowgate.model import EVERYTHING, Chunk, Document, EmbedderIdentity, Filter
from knowgate.store.port import Batch, DocumentWrite, Matrix, Scored, Store, Vector, VectorWrite
from knowgate.store.words import query_terms, text_terms

DIMENSION = 8


def document(id: str, *texts: str, **changes: Any) -> DocumentWrite:
    values: dict[str, Any] = {
        "id": id,
        "name": f"{id}.md",
        "source": f"/docs/{id}.md",
        "type": "markdown",
        "mime": "text/markdown",
        "title": id,
        "sha256": "00",
        "recipe": "1",
        "size": 10,
        "owner": "",
        "modified_at": 0.0,
        "indexed_at": 0.0,
        "chunks": len(texts),
    }
    chunks = [Chunk(f"{id}:{i}", id, i, text, (), 0, len(text)) for i, text in enumerate(texts)]
    return DocumentWrite(Document(**values | changes), chunks)


def put(store: Store, *writes: DocumentWrite) -> None:
    store.apply(Batch(documents=writes))
    store.refresh()


def delete(store: Store, *ids: str) -> None:
    store.apply(Batch(delete=ids))
    store.refresh()


def identity(dimension: int = DIMENSION) -> EmbedderIdentity:
    return EmbedderIdentity("test", f"test-{dimension}", dimension)


def vector_of(text: str, dimension: int = DIMENSION) -> Vector:
    """Always the same for a text, of length 1, and as exact as a store has to keep it."""
    drawn = np.random.default_rng(crc32(text.encode())).standard_normal(dimension)
    return (drawn / np.linalg.norm(drawn)).astype(np.float16).astype(np.float32)


def vectors_of(chunks: Sequence[Chunk], dimension: int = DIMENSION) -> Matrix:
    return np.array([vector_of(chunk.text, dimension) for chunk in chunks], np.float32).reshape(len(chunks), dimension)


def embed(store: Store) -> None:
    """Give every document that waits its vectors."""
    space = store.space() or store.start_space(identity())
    while waiting := store.pending(100):
        store.apply(
            Batch(
                vectors=[
                    VectorWrite(
                        each.document_id,
                        each.revision,
                        space.generation,
                        vectors_of(each.chunks, space.identity.dimension),
                    )
                    for each in waiting
                ]
            )
        )
    store.refresh()


def ids(hits: Sequence[Scored]) -> list[str]:
    return [hit.chunk_id for hit in hits]


def by_words(store: Store, query: str, where: Filter = EVERYTHING) -> set[str]:
    return set(ids(store.search_text(query, 1000, where)))


def by_vector(store: Store, text: str, where: Filter = EVERYTHING) -> set[str]:
    return set(ids(store.search_vector(vector_of(text), 1000, where)))


# What a store has to find, without any cleverness


def matches(where: Filter, document: Document) -> bool:
    if where.ids is not None and document.id not in where.ids:
        return False
    if where.names is not None and not any(
        pattern in (document.name, document.source) or globs(pattern, document.name) or globs(pattern, document.source)
        for pattern in where.names
    ):
        return False
    if where.types is not None and document.type not in where.types and document.mime not in where.types:
        return False
    if where.owners is not None and document.owner not in where.owners:
        return False
    if where.modified_from is not None and document.modified_at < where.modified_from:
        return False
    if where.modified_until is not None and document.modified_at >= where.modified_until:
        return False
    if document.id in where.without:
        return False
    if where.also is not None and not matches(where.also, document):
        return False
    return all(key in document.fields and document.fields[key] in values for key, values in where.fields.items())


def globs(pattern: str, name: str) -> bool:
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return re.fullmatch("".join(parts), name, re.DOTALL) is not None


def best_by_words(texts: Mapping[str, str], query: str, k1: float = 1.2, b: float = 0.75) -> dict[str, float]:
    """The BM25 score of every passage, as a share of the best there could be; those without a word of it left out."""
    counted = {id: Counter(text_terms(text)) for id, text in texts.items()}
    average = sum(counts.total() for counts in counted.values()) / max(len(counted), 1)
    scores: Counter[str] = Counter()
    ideal = 0.0
    for term in query_terms(query):
        holding = sum(term in counts for counts in counted.values())
        idf = math.log(1 + (len(counted) - holding + 0.5) / (holding + 0.5))
        ideal += (k1 + 1) * idf
        for id, counts in counted.items():
            if tf := counts[term]:
                scores[id] += idf * (k1 + 1) * tf / (tf + k1 * (1 - b + b * counts.total() / average))
    return {id: score / ideal for id, score in scores.items()}

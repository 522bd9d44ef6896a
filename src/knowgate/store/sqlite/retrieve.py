"""Searching the parts of a log: pure functions from a view and a question to rows and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from knowgate.errors import ConflictError
from knowgate.store.port import Matrix, Vector
from knowgate.store.sqlite.log import Codec, Mask, Part, allowed_rows
from knowgate.store.sqlite.postings import K1, Postings, inverse_frequency
from knowgate.store.sqlite.vectors import Quantised, largest, unpack_vectors

Found = list[tuple[int, float]]
"""(chunk row, score), best first."""

WORD_CODEC: Codec[Postings] = Codec(
    decode=Postings.build,
    arrays=lambda blobs: Postings.build(blobs).arrays(),
    mapped=Postings.from_arrays,
    tail_rows=4_096,
)

# Up to this many rows a plain matrix product is as fast as anything.
VECTOR_CODEC: Codec[Matrix | Quantised] = Codec(
    decode=unpack_vectors,
    arrays=lambda blobs: Quantised.build(blobs).arrays(),
    mapped=Quantised.from_arrays,
    tail_rows=20_000,
)

_RESCORED = 20
"""How many more than asked get a last look at the whole vector."""


def find_words(parts: Sequence[Part[Postings]], terms: Sequence[int], k: int, documents: Mask | None) -> Found:
    """BM25, as a share of the best score any passage could have.

    How rare a term is counts over the living of all parts, so scores do not depend on how the log is cut or on what was
    in it once.
    """
    living = [None if part.all_alive else part.alive for part in parts]
    total = sum(int(np.count_nonzero(part.alive)) for part in parts)
    if not total or not terms or k < 1:
        return []
    average = sum(part.payload.total_length(alive) for part, alive in zip(parts, living, strict=True)) / total or 1.0
    places = [[part.payload.find(term) for term in terms] for part in parts]
    holding = [
        [part.payload.holding(span, alive) for span in spans]
        for part, alive, spans in zip(parts, living, places, strict=True)
    ]
    weights = [inverse_frequency(total, sum(column)) for column in zip(*holding, strict=True)]
    ideal = (K1 + 1) * sum(weights)
    found: Found = []
    for part, spans in zip(parts, places, strict=True):
        scores = part.payload.score(list(zip(spans, weights, strict=True)), average)
        allowed = allowed_rows(part, documents)
        if allowed is not None:
            scores[~allowed] = 0
        best = largest(scores, k)
        found += [(int(part.chunks[row]), float(scores[row]) / ideal) for row in best if scores[row] > 0]
    return _best(found, k)


def find_nearest(
    parts: Sequence[Part[Matrix | Quantised]],
    query: Vector,
    k: int,
    documents: Mask | None,
    fetch: Callable[[list[int]], dict[int, bytes]],
) -> Found:
    """Cosine. `fetch` brings whole vectors by row, for the last look at what the quantised copies proposed."""
    found: Found = []
    proposed: dict[int, int] = {}
    if k < 1 or not parts:
        return found
    dimension = parts[0].payload.shape[1]
    if len(query) != dimension:
        raise ConflictError(
            "other_dimension",
            f"The question's vector has {len(query)} dimensions, those of the index have {dimension}.",
            "Embed the question with the index's own embedder, or run `knowgate reembed`.",
        )
    for part in parts:
        allowed = allowed_rows(part, documents)
        if isinstance(part.payload, Quantised):
            rows, _ = part.payload.nearest(query, k + _RESCORED, allowed)
            proposed.update(zip(part.rows[rows].tolist(), part.chunks[rows].tolist(), strict=True))
        else:
            chunks = part.chunks if allowed is None else part.chunks[allowed]
            scores = _cosines(part.payload, query, allowed)
            best = largest(scores, k)
            found += zip(chunks[best].tolist(), scores[best].tolist(), strict=True)
    if proposed:
        blobs = fetch(list(proposed))
        scores = unpack_vectors(list(blobs.values())) @ query if blobs else np.empty(0, dtype=np.float32)
        found += [(proposed[row], float(score)) for row, score in zip(blobs, scores, strict=True)]
    return _best(found, k)


def _cosines(vectors: Matrix, query: Vector, allowed: Mask | None) -> Vector:
    if allowed is None:
        return vectors @ query
    # To pick many rows costs more than to multiply them all.
    few = 4 * np.count_nonzero(allowed) < len(vectors)
    return vectors[allowed] @ query if few else (vectors @ query)[allowed]


def _best(found: Found, k: int) -> Found:
    return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:k]

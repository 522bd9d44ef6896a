"""BM25 over postings held in numpy arrays: exact, and fast because a term's rows are one slice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from knowgate.store.sqlite.segment import Array

K1 = 1.2
B = 0.75

_NUMBER = np.dtype("<u4")
_LENGTH = np.dtype("<i4")

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


def pack_terms(terms: Sequence[int]) -> bytes:
    """A passage's terms as bytes: how many in all, the distinct numbers, and how often each occurs."""
    distinct, counts = np.unique(np.fromiter(terms, dtype=_NUMBER, count=len(terms)), return_counts=True)
    return len(terms).to_bytes(4, "little") + distinct.tobytes() + np.minimum(counts, 255).astype(np.uint8).tobytes()


@dataclass(frozen=True)
class Postings:
    """For each term the rows (places 0…n-1 in this part of the index) that hold it, and how often."""

    terms: npt.NDArray[np.uint32]
    offsets: Ints
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int32]

    @staticmethod
    def build(blobs: Sequence[bytes]) -> Postings:
        sizes = np.fromiter((len(blob) // 5 for blob in blobs), dtype=np.int64, count=len(blobs))
        ends = [4 + 4 * size for size in sizes.tolist()]
        lengths = np.frombuffer(b"".join(blob[:4] for blob in blobs), dtype=_LENGTH)
        numbers = np.frombuffer(b"".join(blob[4:end] for blob, end in zip(blobs, ends, strict=True)), dtype=_NUMBER)
        counts = np.frombuffer(b"".join(blob[end:] for blob, end in zip(blobs, ends, strict=True)), dtype=np.uint8)
        rows = np.repeat(np.arange(len(blobs), dtype=np.int32), sizes)
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
        starts = np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]]) if len(numbers) else np.empty(0, np.int64)
        return Postings(
            terms=numbers[starts],
            offsets=np.r_[starts, len(numbers)].astype(np.int64),
            rows=rows[order],
            counts=counts[order],
            lengths=lengths,
        )

    @staticmethod
    def from_arrays(arrays: dict[str, Array]) -> Postings:
        return Postings(*(arrays[key] for key in ("terms", "offsets", "rows", "counts", "lengths")))

    def arrays(self) -> dict[str, Array]:
        return {
            "terms": self.terms,
            "offsets": self.offsets,
            "rows": self.rows,
            "counts": self.counts,
            "lengths": self.lengths,
        }

    @cached_property
    def _total_length(self) -> int:
        return int(self.lengths.sum(dtype=np.int64))

    def total_length(self, alive: Mask | None) -> int:
        """How many terms the living rows have together; None means that all rows live."""
        return self._total_length - (0 if alive is None else int(self.lengths[~alive].sum(dtype=np.int64)))

    def holding(self, span: tuple[int, int], alive: Mask | None) -> int:
        """How many living rows a term's postings name."""
        begin, end = span
        return end - begin if alive is None else int(np.count_nonzero(alive[self.rows[begin:end]]))

    def find(self, term: int) -> tuple[int, int]:
        """Where the term's postings begin and end; equal when there are none."""
        at = int(np.searchsorted(self.terms, np.uint32(term)))
        if at == len(self.terms) or self.terms[at] != term:
            return 0, 0
        return int(self.offsets[at]), int(self.offsets[at + 1])

    def score(self, weighted: Sequence[tuple[tuple[int, int], float]], average_length: float) -> Floats:
        """The BM25 score of every row, given each term's postings and its weight (idf)."""
        scores = np.zeros(len(self.lengths), dtype=np.float32)
        for (begin, end), idf in weighted:
            if begin == end:
                continue
            rows = self.rows[begin:end]
            counts = self.counts[begin:end].astype(np.float32)
            room = K1 * (1 - B) + (K1 * B / average_length) * self.lengths[rows].astype(np.float32)
            scores[rows] += idf * (K1 + 1) * counts / (counts + room)
        return scores


def inverse_frequency(documents: int, holding: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))

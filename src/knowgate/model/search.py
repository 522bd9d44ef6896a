"""What searching gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knowgate.model.documents import Chunk, Document

SearchMode = Literal["hybrid", "keyword", "vector", "naive", "local", "global"]
"""Naive is another word for vector; local and global are led by the graph."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers, with everything a citation needs."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, rising with relevance."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Where the query's words stand in the passage's text."""
    by_graph: bool = False
    """Whether it stands here because the graph led to it."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: tuple[Hit, ...]
    mode: SearchMode
    """What was really done: hybrid falls back to keyword while there are no vectors."""
    cursor: str = ""
    """Hand it back for the next hits; empty when there are no more."""
    warnings: tuple[str, ...] = ()

"""From a question to ranked passages that can be cited."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import orjson

from knowgate.errors import ConflictError, InputError, KnowgateError, StorageError
from knowgate.knowledge.embed.port import Embedder
from knowgate.knowledge.fusion import VECTOR_WEIGHT, fuse
from knowgate.model import EVERYTHING, Chunk, EmbedderIdentity, Filter, Hit, SearchMode, SearchResult
from knowgate.store.port import Scored, Store
from knowgate.store.words import find_terms, query_terms

POOL = 100
"""How many passages each list brings to the fusion."""
_PHRASE_POOL = 1000
FLUENT = 0.25
"""From this share of known words on the vectors count in full: German to an English model still has 0.4."""
_PHRASE = re.compile(r'"([^"]+)"')
MAX_LIMIT = 1000
MAX_QUERY = 10_000
MAX_OFFSET = 10_000_000


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    mode: SearchMode = "hybrid"
    limit: int = 10
    threshold: float = 0.0
    where: Filter = EVERYTHING
    cursor: str = ""


class Search:
    def __init__(self, store: Store, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder

    def __call__(self, query: Query) -> SearchResult:
        _check(query)
        offset = _offset(query)
        if query.text.strip() == "*":
            return self._everything(query, offset)
        ranked, mode, warnings = self._ranked(query, offset + query.limit + 1)
        ranked = [hit for hit in ranked if hit.score >= query.threshold]
        phrases = _phrases(query)
        if phrases:
            chunks = self._store.chunks([hit.chunk_id for hit in ranked])
            ranked = [hit for hit in ranked if hit.chunk_id in chunks and _holds(chunks[hit.chunk_id], phrases)]
        page = ranked[offset : offset + query.limit]
        more = len(ranked) > offset + query.limit
        return SearchResult(self._hits(page, query.text), mode, _cursor(query, offset, more), tuple(warnings))

    def _ranked(self, query: Query, wanted: int) -> tuple[list[Scored], SearchMode, list[str]]:
        """The ranking, at least so deep. A deeper one begins with the same passages, or paging would repeat some."""
        depth = max(POOL, wanted, _PHRASE_POOL if _phrases(query) else 0)
        if query.mode == "vector":
            vectors = self._nearest(query, depth)
            return [replace(hit, score=min(1.0, max(0.0, hit.score))) for hit in vectors], "vector", []
        by_words = self._store.search_text(query.text, depth, query.where)
        if query.mode == "keyword":
            return by_words, "keyword", []
        try:
            vectors = self._nearest(query, POOL)
        except StorageError:
            raise
        except KnowgateError as error:
            return by_words, "keyword", [f"Searched by keyword only. {error}"]
        if not vectors:
            return by_words, "keyword", []
        # What the model's vocabulary has to spell out, such as Chinese for an English model, the model does not know.
        known = min(1.0, self._embedder().fluency(query.text) / FLUENT)
        fused = fuse(by_words[:POOL], vectors, VECTOR_WEIGHT * known)
        return fused + _behind(fused, by_words[POOL:]), "hybrid", []

    def _nearest(self, query: Query, pool: int) -> list[Scored]:
        space = self._store.space()
        if space is None:
            return []
        embedder = self._embedder()
        check_identity(space.identity, embedder.identity)
        return self._store.search_vector(embedder.embed_query(query.text), pool, query.where)

    def _everything(self, query: Query, offset: int) -> SearchResult:
        chunks = self._store.scan_chunks(query.where, offset, query.limit + 1)
        page = [Scored(chunk.id, 1.0) for chunk in chunks[: query.limit]]
        return SearchResult(self._hits(page, ""), "keyword", _cursor(query, offset, len(chunks) > query.limit))

    def _hits(self, page: Sequence[Scored], text: str) -> tuple[Hit, ...]:
        chunks = self._store.chunks([hit.chunk_id for hit in page])
        documents = self._store.documents(list({chunk.document_id for chunk in chunks.values()}))
        wanted = frozenset(query_terms(text))
        return tuple(
            Hit(chunk, documents[chunk.document_id], hit.score, tuple(find_terms(chunk.text, wanted)))
            for hit in page
            if (chunk := chunks.get(hit.chunk_id)) and chunk.document_id in documents
        )


def _behind(ranked: Sequence[Scored], rest: Sequence[Scored]) -> list[Scored]:
    """What only a long list of words brings, in its order, with scores below the ranked ones."""
    seen = {hit.chunk_id for hit in ranked}
    left = [hit for hit in rest if hit.chunk_id not in seen]
    top = left[0].score if left else 1.0
    floor = ranked[-1].score if ranked else 1.0
    return [Scored(hit.chunk_id, floor * hit.score / top) for hit in left]


def check_identity(indexed: EmbedderIdentity, configured: EmbedderIdentity) -> None:
    if indexed != configured:
        raise ConflictError(
            "embedder_changed",
            f"The index was made with the embedder {indexed.provider}/{indexed.model} ({indexed.dimension} dimensions),"
            f" but {configured.provider}/{configured.model} ({configured.dimension} dimensions) is configured.",
            "Run `knowgate reembed` to make new vectors from the stored passages, or configure the former embedder.",
        )


def _check(query: Query) -> None:
    if not query.text.strip():
        raise InputError("empty_query", "The query is empty.", 'Ask something, or use "*" to list all passages.')
    if len(query.text) > MAX_QUERY:
        raise InputError("long_query", f"The query has {len(query.text)} characters.", f"Keep it under {MAX_QUERY}.")
    if not 1 <= query.limit <= MAX_LIMIT:
        raise InputError("bad_limit", f"The limit {query.limit} is out of range.", f"Use 1 to {MAX_LIMIT}.")
    if not 0 <= query.threshold <= 1:
        raise InputError("bad_threshold", f"The threshold {query.threshold} is out of range.", "Use 0 to 1.")


def _phrases(query: Query) -> list[str]:
    """What must stand in a passage literally. In a question put to hybrid search, quotes are only marks of a title."""
    found = [" ".join(phrase.split()).casefold() for phrase in _PHRASE.findall(query.text)]
    nothing_else = not _PHRASE.sub("", query.text).strip()
    return found if query.mode == "keyword" or nothing_else else []


def _holds(chunk: Chunk, phrases: Sequence[str]) -> bool:
    text = " ".join(chunk.text.split()).casefold()
    return all(phrase in text for phrase in phrases)


def _fingerprint(query: Query) -> int:
    return crc32(orjson.dumps([query.text, query.mode, query.threshold, query.where]))


def _cursor(query: Query, offset: int, more: bool) -> str:
    if not more:
        return ""
    return base64.urlsafe_b64encode(orjson.dumps([_fingerprint(query), offset + query.limit])).decode()


def _offset(query: Query) -> int:
    if not query.cursor:
        return 0
    try:
        fingerprint, offset = orjson.loads(base64.urlsafe_b64decode(query.cursor))
    except (ValueError, TypeError) as error:
        raise _bad_cursor() from error
    if fingerprint != _fingerprint(query) or not isinstance(offset, int) or not 0 <= offset < MAX_OFFSET:
        raise _bad_cursor()
    return offset


def _bad_cursor() -> InputError:
    return InputError(
        "bad_cursor", "The cursor does not belong to this query.", "Repeat the query without a cursor to start again."
    )

"""From a question to ranked passages that can be cited."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

import orjson

from knowgate.errors import ConflictError, InputError, KnowgateError, StorageError
from knowgate.knowledge.embed.port import Embedder
from knowgate.knowledge.fusion import VECTOR_WEIGHT, fuse
from knowgate.knowledge.graph.links import graph_list, join
from knowgate.model import EVERYTHING, Chunk, Document, EmbedderIdentity, Filter, Hit, SearchMode, SearchResult
from knowgate.store.port import Definition, Scored, Store
from knowgate.store.words import find_terms, query_terms

if TYPE_CHECKING:
    from knowgate.knowledge.graph.graph import Graph

POOL = 100
"""How many passages each list brings to the fusion."""
_PHRASE_POOL = 1000
FLUENT = 0.25
"""From this share of known words on the vectors count in full: German to an English model still has 0.4."""
_PHRASE = re.compile(r'"([^"]+)"')
MAX_LIMIT = 1000
MAX_QUERY = 10_000
MAX_OFFSET = 10_000_000


class Shown(Protocol):
    """What may be shown. Ranking goes by all there is."""

    @property
    def may_show(self) -> Callable[[str], bool]:
        """Whether the passage of this id may be."""
        ...

    def chunk(self, chunk: Chunk) -> Chunk: ...
    def document(self, document: Document) -> Document: ...


class _All:
    def may_show(self, _: str) -> bool:
        return True

    def chunk(self, chunk: Chunk) -> Chunk:
        return chunk

    def document(self, document: Document) -> Document:
        return document


ALL: Shown = _All()


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    mode: SearchMode = "hybrid"
    limit: int = 10
    threshold: float = 0.0
    where: Filter = EVERYTHING
    cursor: str = ""
    shown: Shown = ALL


@dataclass(frozen=True, slots=True)
class _Ranking:
    hits: list[Scored]
    mode: SearchMode
    """What was really done."""
    warnings: tuple[str, ...] = ()
    by_graph: frozenset[str] = frozenset()
    """Passages that the graph led to."""


class Search:
    def __init__(self, store: Store, embedder: Callable[[], Embedder], graph: Callable[[], Graph]) -> None:
        self._store = store
        self._graph = graph
        self._embedder = embedder

    def __call__(self, query: Query) -> SearchResult:
        _check(query)
        offset = _offset(query)
        if query.text.strip() == "*":
            return self._everything(query, offset)
        ranking = self._ranked(query, offset + query.limit + 1)
        ranked = [hit for hit in ranking.hits if hit.score >= query.threshold]
        phrases = _phrases(query)
        if phrases:
            chunks = self._store.chunks([hit.chunk_id for hit in ranked])
            ranked = [hit for hit in ranked if hit.chunk_id in chunks and _holds(chunks[hit.chunk_id], phrases)]
        shown = (hit for hit in ranked if query.shown.may_show(hit.chunk_id))
        page = list(islice(shown, offset, offset + query.limit + 1))
        hits = self._hits(page[: query.limit], query.text, query.shown, ranking.by_graph)
        return SearchResult(hits, ranking.mode, _cursor(query, offset, len(page) > query.limit), ranking.warnings)

    def _ranked(self, query: Query, wanted: int) -> _Ranking:
        """The ranking, at least so deep. A deeper one begins with the same passages, or paging would repeat some."""
        depth = max(POOL, wanted, _PHRASE_POOL if _phrases(query) else 0)
        if query.mode in ("vector", "naive"):
            vectors = self._nearest(query, depth)
            return _Ranking([replace(hit, score=min(1.0, max(0.0, hit.score))) for hit in vectors], query.mode)
        by_words = self._store.search_text(query.text, depth, query.where)
        if query.mode == "keyword":
            return _Ranking(by_words, "keyword")
        try:
            vectors = self._nearest(query, POOL)
        except StorageError:
            raise
        except KnowgateError as error:
            return self._led(query, by_words, by_words, "keyword", f"Searched by keyword only. {error}")
        if not vectors:
            return self._led(query, by_words, by_words, "keyword")
        # What the model's vocabulary has to spell out, such as Chinese for an English model, the model does not know.
        known = min(1.0, self._embedder().fluency(query.text) / FLUENT)
        fused = fuse(by_words[:POOL], vectors, VECTOR_WEIGHT * known)
        return self._led(query, fused, by_words, "hybrid")

    def _led(
        self, query: Query, ranked: Sequence[Scored], by_words: Sequence[Scored], mode: SearchMode, *warnings: str
    ) -> _Ranking:
        """The ranking with what the graph adds to it; behind it what only a long list of words brings."""
        best = ranked[:POOL]
        proposed = graph_list(query.text, best, _Names(self._store, query.where))
        linked = join(best, proposed)
        if query.mode in ("local", "global"):
            from knowgate.knowledge.graph.modes import global_list, local_list

            view = self._graph().view(query.where)
            led = local_list(query.text, linked, view) if query.mode == "local" else global_list(linked, view)
            if led:
                mode, own, linked = query.mode, {hit.chunk_id for hit in linked[: _offset(query) + query.limit]}, led
                proposed = [*proposed, *(hit for hit in led if hit.chunk_id not in own)]
        by_graph = frozenset(hit.chunk_id for hit in proposed)
        return _Ranking(linked + _behind(linked, by_words[POOL:]), mode, warnings, by_graph)

    def _nearest(self, query: Query, pool: int) -> list[Scored]:
        space = self._store.space()
        if space is None:
            return []
        embedder = self._embedder()
        check_identity(space.identity, embedder.identity)
        return self._store.search_vector(embedder.embed_query(query.text), pool, query.where)

    def _everything(self, query: Query, offset: int) -> SearchResult:
        chunks = self._store.scan_chunks(query.where, offset, query.limit + 1)
        page = [Scored(chunk.id, 1.0) for chunk in chunks[: query.limit] if query.shown.may_show(chunk.id)]
        hits = self._hits(page, "", query.shown)
        return SearchResult(hits, "keyword", _cursor(query, offset, len(chunks) > query.limit))

    def _hits(
        self,
        page: Sequence[Scored],
        text: str,
        shown: Shown,
        by_graph: frozenset[str] = frozenset(),
    ) -> tuple[Hit, ...]:
        found = self._store.chunks([hit.chunk_id for hit in page])
        chunks = {id: shown.chunk(chunk) for id, chunk in found.items()}
        known = self._store.documents(list({chunk.document_id for chunk in chunks.values()}))
        documents = {id: shown.document(document) for id, document in known.items()}
        wanted = frozenset(query_terms(text))
        return tuple(
            Hit(
                chunk,
                documents[chunk.document_id],
                hit.score,
                tuple(find_terms(chunk.text, wanted)),
                chunk.id in by_graph,
            )
            for hit in page
            if (chunk := chunks.get(hit.chunk_id)) and chunk.document_id in documents
        )


@dataclass(frozen=True, slots=True)
class _Names:
    """The store's names, as far as a filter lets them through."""

    store: Store
    where: Filter

    def definitions(self, keys: Sequence[str]) -> dict[str, list[Definition]]:
        return self.store.definitions(keys, self.where)

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        return {id: chunk.text for id, chunk in self.store.chunks(chunk_ids).items()}


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

"""The REST door. Handlers are plain functions, so that the framework runs each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import FastAPI, Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator

from knowgate.doors.refusals import refuse_in_words, unknown_name
from knowgate.doors.requests import LocalRequests
from knowgate.knowledge.sources import is_url
from knowgate.model import Document, Filter, Hit, SearchMode
from knowgate.version import __version__

if TYPE_CHECKING:
    from knowgate.engine import Engine

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
_PAGE_RULES = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
    " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}


class Given(BaseModel):
    """What a caller sends. A name that we do not know is refused: an ignored filter would show what it was to hide."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known_names(cls, given: object) -> object:
        if isinstance(given, dict):
            for name in cast("dict[str, object]", given):
                if name not in cls.model_fields:
                    raise unknown_name(name, cls.model_fields)
        return cast("object", given)


class Filters(Given):
    """`*` in a list is no constraint, an empty list matches nothing."""

    data_sources: list[str] | None = None
    document_types: list[str] | None = None
    owners: list[str] | None = None


class SearchQuery(Given):
    query: str
    limit: int | None = None
    score_threshold: float = 0.0
    mode: SearchMode = "hybrid"
    cursor: str = ""


class SearchRequest(SearchQuery):
    filters: Filters = Field(default_factory=Filters)


class DocumentsQuery(Given):
    query: str = ""
    limit: int = 100
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    filename: str
    text: str
    score: float
    page: int | None
    headings: tuple[str, ...]
    start: int
    end: int
    highlights: tuple[tuple[int, int], ...]
    mimetype: str
    document_id: str
    source_url: str | None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    results: list[Result]
    mode: SearchMode
    cursor: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    filename: str
    document_id: str
    title: str
    type: str
    mimetype: str
    size: int
    chunks: int
    owner: str
    modified_at: float
    indexed_at: float
    source_url: str | None


@dataclass(frozen=True, slots=True)
class DocumentsAnswer:
    documents: list[Listed]
    cursor: str


@dataclass(frozen=True, slots=True)
class StatsAnswer:
    documents: int
    passages: int
    pending: int
    """Documents that wait for their vectors and are found by keyword only."""


def create_app(engine: Engine, lifespan: Lifespan | None = None) -> FastAPI:
    # The framework's own pages about the API load scripts from elsewhere.
    app = FastAPI(title="Knowgate", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.add_middleware(LocalRequests)
    refuse_in_words(app)

    def answer(asked: SearchQuery, filters: Filters) -> SearchAnswer:
        found = engine.search(
            asked.query,
            mode=asked.mode,
            limit=asked.limit,
            threshold=asked.score_threshold,
            where=_filter(filters),
            cursor=asked.cursor,
        )
        return SearchAnswer([_result(hit) for hit in found.hits], found.mode, found.cursor, found.warnings)

    @app.get("/", include_in_schema=False)
    def page() -> HTMLResponse:
        return HTMLResponse(Path(__file__).with_name("page.html").read_text(encoding="utf-8"), headers=_PAGE_RULES)

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/api/v1/search")
    def search(asked: Annotated[SearchQuery, Query()]) -> SearchAnswer:
        return answer(asked, Filters())

    @app.post("/api/v1/search")
    def search_by_body(asked: SearchRequest) -> SearchAnswer:
        return answer(asked, asked.filters)

    @app.get("/api/v1/documents")
    def documents(asked: Annotated[DocumentsQuery, Query()]) -> DocumentsAnswer:
        found = engine.documents(asked.query, limit=asked.limit, cursor=asked.cursor)
        return DocumentsAnswer([_listed(document) for document in found.documents], found.cursor)

    @app.get("/api/v1/stats")
    def stats() -> StatsAnswer:
        counts = engine.stats()
        return StatsAnswer(counts.documents, counts.chunks, counts.pending)

    _ = page, health, search, search_by_body, documents, stats
    return app


def _filter(given: Filters) -> Filter:
    def dimension(values: list[str] | None) -> tuple[str, ...] | None:
        return None if values is None or "*" in values else tuple(values)

    return Filter(
        names=dimension(given.data_sources), types=dimension(given.document_types), owners=dimension(given.owners)
    )


def _result(hit: Hit) -> Result:
    chunk, document = hit.chunk, hit.document
    return Result(
        filename=document.name,
        text=chunk.text,
        score=hit.score,
        page=chunk.page,
        headings=chunk.headings,
        start=chunk.start,
        end=chunk.end,
        highlights=hit.highlights,
        mimetype=document.mime,
        document_id=document.id,
        source_url=_address(document),
    )


def _listed(document: Document) -> Listed:
    return Listed(
        filename=document.name,
        document_id=document.id,
        title=document.title,
        type=document.type,
        mimetype=document.mime,
        size=document.size,
        chunks=document.chunks,
        owner=document.owner,
        modified_at=document.modified_at,
        indexed_at=document.indexed_at,
        source_url=_address(document),
    )


def _address(document: Document) -> str | None:
    """Paths of this machine are nobody else's business."""
    return document.source if is_url(document.source) else None

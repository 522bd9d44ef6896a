"""The REST door. Handlers are plain functions, so that the framework runs each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from knowgate.doors.requests import LocalRequests, request_id
from knowgate.errors import KnowgateError
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
_CODES = {404: "not_found", 405: "method_not_allowed"}


class Filters(BaseModel):
    """`*` in a list is no constraint, an empty list matches nothing."""

    model_config = ConfigDict(extra="forbid")

    data_sources: list[str] | None = None
    document_types: list[str] | None = None
    owners: list[str] | None = None


class SearchRequest(BaseModel):
    # A filter that we do not know must be refused: ignoring it would show what it was to hide.
    model_config = ConfigDict(extra="forbid")

    query: str
    limit: int | None = None
    score_threshold: float = 0.0
    mode: SearchMode = "hybrid"
    filters: Filters = Field(default_factory=Filters)
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


def create_app(engine: Engine, lifespan: Lifespan | None = None) -> FastAPI:
    # The framework's own pages about the API load scripts from elsewhere.
    app = FastAPI(title="Knowgate", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.add_middleware(LocalRequests)
    app.exception_handler(KnowgateError)(_known)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(Exception)(_unexpected)

    def answer(asked: SearchRequest) -> SearchAnswer:
        found = engine.search(
            asked.query,
            mode=asked.mode,
            limit=asked.limit,
            threshold=asked.score_threshold,
            where=_filter(asked.filters),
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
    def search(
        query: str,
        limit: int | None = None,
        mode: SearchMode = "hybrid",
        score_threshold: float = 0.0,
        cursor: str = "",
    ) -> SearchAnswer:
        return answer(
            SearchRequest(query=query, limit=limit, mode=mode, score_threshold=score_threshold, cursor=cursor)
        )

    @app.post("/api/v1/search")
    def search_by_body(asked: SearchRequest) -> SearchAnswer:
        return answer(asked)

    @app.get("/api/v1/documents")
    def documents(query: str = "", limit: int = 100, cursor: str = "") -> DocumentsAnswer:
        found = engine.documents(query, limit=limit, cursor=cursor)
        return DocumentsAnswer([_listed(document) for document in found.documents], found.cursor)

    _ = page, health, search, search_by_body, documents
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


def _refusal(request: Request, status: int, error: str, code: str, **more: Any) -> JSONResponse:
    id = request_id(request.scope)
    body = {"error": error, "code": code, "request_id": id, **more}
    return JSONResponse(body, status, headers={"x-request-id": id})


def _known(request: Request, error: KnowgateError) -> JSONResponse:
    return _refusal(request, error.http_status, error.message, error.code, fix=error.fix)


def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    # The first step of the place is where it was sent, which the caller knows; a broken body is a place in its text.
    place = ".".join(str(step) for step in first["loc"][1:] if not isinstance(step, int))
    return _refusal(request, 400, f"{place}: {first['msg']}." if place else f"{first['msg']}.", "bad_request")


def _http(request: Request, error: HTTPException) -> JSONResponse:
    path, code = request.url.path, _CODES.get(error.status_code, "http_error")
    return _refusal(request, error.status_code, f"{request.method} {path}: {error.detail}.", code)


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    sentence = f"Something went wrong here ({type(error).__name__}); the server's own output says more."
    return _refusal(request, 500, sentence, "internal_error")

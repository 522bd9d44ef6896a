"""The REST door, put together. Handlers that are plain functions run in threads of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import HTMLResponse
from starlette.middleware.cors import CORSMiddleware

from knowgate.doors.mcp.http import mcp_route
from knowgate.doors.rest import (
    approvals,
    audit,
    chat,
    documents,
    filters,
    graph,
    health,
    keys,
    operations,
    search,
    settings,
    tasks,
)
from knowgate.doors.rest.health import Metrics
from knowgate.doors.rest.refusals import refuse_in_words
from knowgate.doors.rest.requests import Requests
from knowgate.doors.rpc.route import router as rpc
from knowgate.engine import Engine
from knowgate.guard.limits import Limits
from knowgate.version import __version__

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
_PAGE_RULES = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
    " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
_MCP_HEADERS = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")
_ABOUT = (
    "The paths are served under /api/v1, and the same under /v1 and /api. Errors have one sentence, a stable code, "
    "the request's id and mostly the fix."
)


def create_app(engine: Engine, lifespan: Lifespan | None = None) -> FastAPI:
    # The framework's own pages about the API load scripts from elsewhere.
    app = FastAPI(
        title="Knowgate",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    chosen = engine.settings.server
    app.state.engine = engine
    app.state.stopping = threading.Event()
    app.state.metrics = metrics = Metrics()
    app.state.limits = Limits({"requests": chosen.rate, "chat": chosen.chat_rate, "ingest": chosen.ingest_rate})
    # Browsers name a page's origin without a slash at the end.
    origins = frozenset(origin.rstrip("/") for origin in chosen.cors_origins)
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=sorted(origins),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["X-API-Key", "Authorization", "Content-Type", "X-Request-Id", *_MCP_HEADERS],
            expose_headers=["X-Request-Id", "Retry-After"],
        )
    app.add_middleware(Requests, rooms=engine.rooms, metrics=metrics, origins=origins, max_bytes=chosen.max_mb << 20)
    refuse_in_words(app)

    api = APIRouter()
    for subject in (search, chat, documents, graph, operations, tasks, filters, settings, keys, audit, approvals):
        api.include_router(subject.router)
    app.include_router(health.router)
    app.include_router(api, prefix="/api/v1")
    app.include_router(tasks.seed, prefix="/api", include_in_schema=False)
    for alias in ("/v1", "/api"):
        app.include_router(api, prefix=alias, include_in_schema=False)

    app.include_router(rpc)
    app.router.routes.append(mcp_route(engine, app.state.limits, app.state.stopping))

    @app.get("/", include_in_schema=False)
    def page() -> HTMLResponse:
        return HTMLResponse(Path(__file__).with_name("page.html").read_text(encoding="utf-8"), headers=_PAGE_RULES)

    _ = page
    describe = app.openapi
    app.openapi = lambda: _without_422(describe())
    return app


def _without_422(described: dict[str, Any]) -> dict[str, Any]:
    """The framework announces its own form of refusal, which we never send."""
    for path in described["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    schemas = described["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return described

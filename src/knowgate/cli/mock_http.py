"""A made-up API over HTTP, on this machine only."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from knowgate.apis.mock import Mock
from knowgate.doors.serve import address, listen, run_until_told

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def serve_mock(api: Mock, port: int, ready: Callable[[str], None]) -> None:
    """Serve until a signal ends it."""

    async def answer(request: Request) -> Response:
        path = request.scope["raw_path"].decode("ascii", "replace")
        made = api.answer(request.method, path, await request.body())
        return Response(made.body, made.status, {"Content-Type": made.content_type} if made.body else None)

    with listen("127.0.0.1", port) as listener:

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncGenerator[None]:
            ready(address(listener))
            yield

        app = Starlette(routes=[Route("/{path:path}", answer, methods=_METHODS)], lifespan=lifespan)
        run_until_told(app, listener)

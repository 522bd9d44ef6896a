"""`flowrag-mcp` over HTTP: /mcp for whoever shows the token, on this machine only, and /health for everybody."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from knowgate.doors.mcp.host import Context
from knowgate.doors.mcp.server import create_server
from knowgate.doors.mcp.stdio import House, Offers
from knowgate.doors.serve import address, listen, run_until_told
from knowgate.tools.backend import Backend
from knowgate.tools.flowrag import FLOWRAG

_MOST_BYTES = 32 << 20


def serve_http(
    open_backend: Callable[[], Awaitable[Backend]], token: str, port: int, ready: Callable[[str], None]
) -> None:
    """Serve until a signal ends it."""
    with listen("127.0.0.1", port) as listener:
        house = _House(open_backend, Offers())

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncGenerator[None]:
            ready(address(listener))
            yield

        door = _Door(create_server(FLOWRAG, house), token)
        app = Starlette(routes=[Route("/health", _health), Route("/mcp", door)], lifespan=lifespan)
        run_until_told(app, listener, house.leave)


async def _health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


class _House(House):
    def took_back(self, context: Context) -> bool:
        # In the old era a connection that broke meant nothing; in the new one it is how a call is taken back.
        return context.protocol_version in MODERN_PROTOCOL_VERSIONS and super().took_back(context)


class _Door:
    def __init__(self, server: Server[Any], token: str) -> None:
        self._server = server
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        scheme, _, shown = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not secrets.compare_digest(shown.strip().encode(), self._token):
            refusal = JSONResponse({"error": "Unauthorized"}, 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
        elif request.method != "POST":
            # There is no stream to listen to and no session to end.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
        else:
            # One for each request: its tasks end with the request.
            manager = StreamableHTTPSessionManager(self._server, stateless=True, max_request_body_size=_MOST_BYTES)
            async with manager.run():
                await manager.handle_request(scope, receive, send)

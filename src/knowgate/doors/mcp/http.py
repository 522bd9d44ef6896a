"""MCP over HTTP, at exactly /mcp of the REST door's app.

Every request stands alone, so there are no sessions that somebody else could take over and nothing to lose in a
restart. Who calls is told by his key, as at the REST door, and decides which tools he is offered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from knowgate.doors.rest.callers import identify
from knowgate.engine import Engine
from knowgate.errors import AuthError
from knowgate.guard.limits import Limits
from knowgate.model import LOCAL, Principal
from knowgate.tools.backend import Backend
from knowgate.tools.inprocess import InProcess
from knowgate.tools.submissions import Submissions
from knowgate.tools.tool import Tool, Toolset
from knowgate.tools.toolsets import find_toolset

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from knowgate.doors.mcp.host import Context, Host


def mcp_route(engine: Engine, limits: Limits, stopping: threading.Event) -> Route:
    """`?toolset=openrag` chooses another vocabulary."""
    return Route("/mcp", endpoint=Endpoint(engine, limits, stopping))


class Endpoint:
    def __init__(self, engine: Engine, limits: Limits, stopping: threading.Event) -> None:
        self._engine = engine
        self._limits = limits
        self._host = _Visitors(engine, limits, stopping)
        self._servers: dict[str, Server[Any]] = {}
        self._building = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            # There is no stream to listen to and no session to end.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        scope["state"]["principal"] = await to_thread.run_sync(self._let_in, request)
        server = await self._server(request.query_params.get("toolset", "native"))
        # Read here, because what is wrong with it would come out of the SDK's tasks as a group of errors.
        arrived: list[Message] = [{"type": "http.request", "body": await request.body()}]

        async def receive_again() -> Message:
            return arrived.pop() if arrived else await receive()

        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        # One for each request: it needs no place in the app's life, and its tasks end with the request.
        manager = StreamableHTTPSessionManager(
            server, stateless=True, max_request_body_size=self._engine.settings.server.max_mb << 20
        )
        async with manager.run():
            await manager.handle_request(scope, receive_again, send)

    def _let_in(self, request: Request) -> Principal:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        bearer = token.strip() if scheme.lower() == "bearer" else ""
        try:
            principal = identify(self._engine, request.headers.get("x-api-key") or bearer)
        except AuthError:
            # Guessing is counted as well.
            self._limits.check("requests", _address(request))
            raise
        request.state.caller = principal.name
        self._limits.check("requests", _who(request, principal))
        return principal

    async def _server(self, name: str) -> Server[Any]:
        toolset = find_toolset(name)
        async with self._building:
            if name not in self._servers:
                # The SDK takes a while to load, and those who only search over REST do without it.
                create = await to_thread.run_sync(_load)
                self._servers[name] = create(toolset, self._host)
        return self._servers[name]


class _Visitors:
    def __init__(self, engine: Engine, limits: Limits, stopping: threading.Event) -> None:
        self._engine = engine
        self._limits = limits
        self._stopping = stopping
        self._submissions = Submissions()

    def offers(self, context: Context, tool: Tool[Any]) -> bool:
        return self._engine.acting_for(_principal(context)).offers(tool.does or tool.name, tool.scope)

    def turned_away(self, context: Context, tool: Tool[Any]) -> None:
        self._engine.acting_for(_principal(context)).turn_away(tool.does or tool.name, "not_offered")

    async def backend(self, context: Context, tool: Tool[Any] | None = None) -> Backend:
        principal = _principal(context)
        if tool and tool.pace:
            self._limits.check(tool.pace, _who(_request(context), principal))
        request = _request(context)
        engine = self._engine.acting_for(
            principal,
            agent=request.headers.get("user-agent", ""),
            address=request.client.host if request.client else "",
        )
        return InProcess(engine, self._submissions, attend=lambda: None)

    def person_at(self, context: Context) -> bool:  # noqa: ARG002
        return False

    def took_back(self, context: Context) -> bool:
        # In the old era a connection that broke meant nothing; in the new one it is how a call is taken back.
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        return context.protocol_version in MODERN_PROTOCOL_VERSIONS and not self._stopping.is_set()


def _principal(context: Context) -> Principal:
    return _request(context).scope["state"]["principal"]


def _request(context: Context) -> Request:
    assert context.request is not None
    return context.request


def _who(request: Request, principal: Principal) -> str:
    return _address(request) if principal is LOCAL else principal.id


def _address(request: Request) -> str:
    return f"address:{request.client.host if request.client else ''}"


def _load() -> Callable[[Toolset, Host], Server[Any]]:
    from knowgate.doors.mcp.server import create_server

    return create_server

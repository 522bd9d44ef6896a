"""MCP over stdin and stdout, for the AI app that started us."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, BinaryIO

import anyio
from mcp.server.stdio import stdio_server

from knowgate.doors.mcp.eras import Protocol, serve_eras
from knowgate.doors.mcp.host import AtHome, Context
from knowgate.doors.mcp.parent import watch_parent
from knowgate.doors.mcp.server import create_server
from knowgate.tools.backend import Backend
from knowgate.tools.tool import Tool, Toolset

if TYPE_CHECKING:
    from knowgate.engine import Engine


class Offers:
    """Which tools he is offered who started us: all, where nobody here decides."""

    def engine(self) -> Engine | None:
        """Whose policy decides."""
        return None

    def holds(self, tool: Tool[Any]) -> bool:
        engine = self.engine()
        return engine is None or engine.offers(tool.does or tool.name, tool.scope)

    def turned_away(self, tool: Tool[Any]) -> None:
        if engine := self.engine():
            engine.turn_away(tool.does or tool.name, "not_offered")


class House:
    """The house of the one who started us. Opened when the first call needs it."""

    def __init__(self, open_backend: Callable[[], Awaitable[Backend]], offers: Offers) -> None:
        self._open = open_backend
        self._offers = offers
        self._backend: Backend | None = None
        self._opening = anyio.Lock()
        self._left = False

    def offers(self, context: Context, tool: Tool[Any]) -> bool:  # noqa: ARG002
        return self._offers.holds(tool)

    def turned_away(self, context: Context, tool: Tool[Any]) -> None:  # noqa: ARG002
        self._offers.turned_away(tool)

    async def backend(self, context: Context, tool: Tool[Any] | None = None) -> Backend:  # noqa: ARG002
        async with self._opening:
            if self._backend is None:
                opened = await self._open()
                told = context.session.client_params
                # One app, one name.
                self._backend = (
                    opened.called_by(told.client_info.name) if told and isinstance(opened, AtHome) else opened
                )
        return self._backend

    def person_at(self, context: Context) -> bool:  # noqa: ARG002
        return True

    def leave(self) -> None:
        self._left = True

    def took_back(self, context: Context) -> bool:  # noqa: ARG002
        return not self._left


def serve_stdio(
    toolset: Toolset,
    open_backend: Callable[[], Awaitable[Backend]],
    close: Callable[[], None],
    pipe: BinaryIO,
    protocol: Protocol = "auto",
    offers: Offers | None = None,
) -> None:
    """Serve until the app hangs up or ends. Never returns: threads that wait for something must not hold us."""

    def end() -> None:
        close()
        os._exit(0)

    async def serve() -> None:
        house = House(open_backend, offers or Offers())
        server = create_server(toolset, house)
        stdout = anyio.wrap_file(TextIOWrapper(pipe, encoding="utf-8", newline="\n"))
        async with stdio_server(stdout=stdout) as (arriving, answering), answering:
            await serve_eras(server, arriving, answering.clone, protocol, house.leave)

    watch_parent(end)
    anyio.run(serve)
    end()

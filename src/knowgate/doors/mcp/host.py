"""Who is behind the door: which tools a caller is offered, and the house that they work in."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from mcp.server.context import ServerRequestContext

from knowgate.tools.backend import Backend
from knowgate.tools.tool import Tool

Context = ServerRequestContext[Any, Any]


@runtime_checkable
class AtHome(Protocol):
    """A backend in this process."""

    def called_by(self, agent: str) -> Backend:
        """The same for a program that calls itself so."""
        ...

    async def answer_approval(self, id: str, yes: bool) -> None:
        """What a person said in the app's own dialogue."""
        ...


class Host(Protocol):
    def offers(self, context: Context, tool: Tool[Any]) -> bool:
        """Whether this caller may use it. Depends on who he is, never on what he did before."""
        ...

    def turned_away(self, context: Context, tool: Tool[Any]) -> None:
        """He called it although it is not offered to him: that is written down like any refusal."""
        ...

    async def backend(self, context: Context, tool: Tool[Any] | None = None) -> Backend:
        """For this caller; refuses one who calls the tool too often."""
        ...

    def person_at(self, context: Context) -> bool:
        """Whether what the app asks is answered by the person who started it."""
        ...

    def took_back(self, context: Context) -> bool:
        """Whether a call that is ended was taken back; else the connection ended, and its work goes on."""
        ...

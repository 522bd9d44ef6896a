"""One call of a tool: arguments in, text and structured content out, errors as words for the model."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult, TextContent

from knowgate.doors.mcp.host import AtHome, Context, Host
from knowgate.errors import ForbiddenError, KnowgateError
from knowgate.tools.backend import Backend
from knowgate.tools.reading import read_input
from knowgate.tools.schema import plain
from knowgate.tools.tool import Tool, Toolset

log = logging.getLogger("knowgate")
_UNDO_SECONDS = 5.0


class OpenCall:
    """The caller's ear. Progress goes only to those who asked for it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._undo: list[Callable[[], Awaitable[object]]] = []

    async def report(self, message: str, done: float = 0, total: float | None = None) -> None:
        await self._context.session.report_progress(done, total, message)

    def if_cancelled(self, undo: Callable[[], Awaitable[object]]) -> None:
        self._undo.append(undo)

    async def undo(self) -> None:
        with anyio.move_on_after(_UNDO_SECONDS, shield=True):
            for undo in self._undo:
                try:
                    await undo()
                except KnowgateError as error:
                    log.warning("A cancelled call could not be undone: %s", error)


async def call_tool(
    host: Host, toolset: Toolset, tool: Tool[Any], context: Context, asked: CallToolRequestParams
) -> CallToolResult | InputRequiredResult:
    call = OpenCall(context)
    try:
        given = read_input(tool.input, asked.arguments or {})
        backend = await host.backend(context, tool)
        try:
            answer = await tool.run(backend, given, call)
        except ForbiddenError as error:
            question = await _ask_a_person(host, context, backend, error, asked)
            if question:
                return question
            # Answered: the gate knows.
            answer = await tool.run(backend, given, call)
    except KnowgateError as error:
        return _result(toolset.wording(error), failed=True)
    except anyio.get_cancelled_exc_class():
        if host.took_back(context):
            await call.undo()
        raise
    except Exception as error:
        # A defect: the model is told that it was none of its doing, the log has the rest.
        log.exception("%s failed", tool.name)
        return _result(f"Something went wrong in {tool.name} ({type(error).__name__}); the log says more.", failed=True)
    return _result(answer.text, plain(answer.structured), failed=answer.failed)


async def _ask_a_person(
    host: Host, context: Context, backend: Backend, error: ForbiddenError, asked: CallToolRequestParams
) -> InputRequiredResult | None:
    """What the app is told so that it asks; nothing when he has answered. Without an answer, the error stands."""
    if error.code != "approval_needed" or not host.person_at(context) or not isinstance(backend, AtHome):
        raise error
    from knowgate.doors.mcp.asking import ask, can_ask
    from knowgate.guard.approvals import ApprovalNeeded

    if not isinstance(error, ApprovalNeeded) or not can_ask(context):
        raise error
    said = await ask(context, error.approval, asked.input_responses)
    if said is None:
        raise error
    if isinstance(said, bool):
        await backend.answer_approval(error.approval.id, said)
        return None
    return said


def _result(text: str, structured: object = None, *, failed: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], structured_content=structured, is_error=failed)

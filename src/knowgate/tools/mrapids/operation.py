"""One operation as one tool."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import ConfigDict

from knowgate.guard.policy.verbs import READING
from knowgate.model import OperationDetail
from knowgate.tools.backend import Backend
from knowgate.tools.mrapids.finding import RUN
from knowgate.tools.native.operations import RUN_OPERATION, Ran, tell
from knowgate.tools.text import cut
from knowgate.tools.tool import Answer, Call, Given, Hints, Tool

_REPEATABLE = frozenset({"PUT", "DELETE"})
"""Of those that change something."""
_LONGEST = 300


class Arguments(Given):
    """Whatever the operation takes: it is checked against its own schema when the request is built."""

    model_config = ConfigDict(extra="allow")


def operation_tool(found: OperationDetail) -> Tool[Arguments]:
    item = found.item
    words = " ".join(part for part in dict.fromkeys((item.summary, found.description)) if part)
    return replace(
        callable_tool(item.operation_id),
        title=cut(item.summary or item.operation_id, 100),
        description=f"{cut(words, _LONGEST)} ({item.method} {item.path})".strip(),
        hints=Hints(
            read_only=not item.changes,
            destructive=item.changes and item.method != "POST",
            idempotent=item.method in (_REPEATABLE if item.changes else READING),
            open_world=True,
        ),
        arguments=found.arguments,
    )


def callable_tool(operation_id: str) -> Tool[Arguments]:
    """Enough to call it. Whether there is such an operation, and whether it may be called, the call tells."""

    async def run(backend: Backend, given: Arguments, _: Call) -> Answer:
        arguments: dict[str, Any] = dict(given.model_extra or {})
        told = tell(await backend.run_operation(operation_id, {"parameters": arguments}))
        # This tool has only the operation's own arguments.
        return replace(told, text=told.text.replace("More: call again with", f"More: call {RUN.name} with"))

    return Tool(
        name=operation_id,
        title=operation_id,
        description="",
        input=Arguments,
        output=Ran,
        run=run,
        scope="apis",
        hints=RUN_OPERATION.hints,
        does=RUN_OPERATION.name,
    )

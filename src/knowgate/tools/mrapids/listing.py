"""Operations as MCP lists tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from knowgate.model import OperationDetail
from knowgate.tools.mrapids.budget import BUDGET, MOST, tokens
from knowgate.tools.mrapids.finding import FINDING
from knowgate.tools.mrapids.operation import operation_tool
from knowgate.tools.schema import input_schema
from knowgate.tools.tool import Tool


def listed_tools(
    ids: Sequence[str], describe: Callable[[Sequence[str]], Sequence[OperationDetail]]
) -> list[dict[str, Any]]:
    """One for each operation, or the three that find them when that would be too much."""
    found = [operation_tool(detail) for detail in describe(ids)] if len(ids) <= MOST else []
    return [shape(tool) for tool in (found if found and fits(found) else FINDING)]


def fits(tools: Sequence[Tool[Any]]) -> bool:
    return sum(tokens(orjson.dumps(shape(tool)).decode()) for tool in tools) <= BUDGET


def shape(tool: Tool[Any]) -> dict[str, Any]:
    hints = tool.hints
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": arguments_of(tool),
        "annotations": {
            "readOnlyHint": hints.read_only,
            "openWorldHint": hints.open_world,
            **({} if hints.read_only else {"destructiveHint": hints.destructive, "idempotentHint": hints.idempotent}),
        },
    }


def arguments_of(tool: Tool[Any]) -> dict[str, Any]:
    given: Mapping[str, Any] | None = tool.arguments
    return dict(given) if given is not None else input_schema(tool.input)

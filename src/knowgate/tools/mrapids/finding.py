"""The three tools that stand for any number of operations: find one, see what it takes, call it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowgate.errors import KnowgateError
from knowgate.tools.native.operations import DESCRIBE_OPERATION, OPERATIONS, RUN_OPERATION
from knowgate.tools.tool import Tool

_NAMES: dict[str, str] = {
    OPERATIONS.name: "search_operations",
    DESCRIBE_OPERATION.name: "describe_operation",
    RUN_OPERATION.name: "run_operation",
}
FINDING: tuple[Tool[Any], ...] = tuple(
    replace(tool, name=_NAMES[tool.name], does=tool.name) for tool in (OPERATIONS, DESCRIBE_OPERATION, RUN_OPERATION)
)
RUN = FINDING[-1]


def in_words(error: KnowgateError) -> str:
    """With the names that the tools have here."""
    text = str(error)
    for theirs, ours in _NAMES.items():
        text = text.replace(theirs, ours)
    return text

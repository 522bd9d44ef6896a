"""What has no room is told in the text and in the structure, and nothing is offered that the tool cannot take."""

from __future__ import annotations

import re
from typing import Any

import pytest

from knowgate import model, wire
from knowgate.tools.flowrag import graph, search
from knowgate.tools.native import operations
from knowgate.tools.tool import Given, Tool

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Plenty:
    """A backend that finds more than there is room for."""

    async def operations(self, query: str, options: object) -> model.OperationPage:
        found = (model.OperationItem(f"op{number}", "shop", "GET", "/", "s" * 400, ()) for number in range(100))
        return model.OperationPage(tuple(found), 500, "next")

    async def search(self, query: str, options: object) -> wire.SearchAnswer:
        return wire.SearchAnswer([wire.Result(f"{number}.md", "t" * 2000, 0.5) for number in range(20)], "hybrid", "")

    async def entities(self, *asked: object) -> model.EntityPage:
        return model.EntityPage((model.Entity("Ledger", "SERVICE", ""),), "next")


async def _told(tool: Tool[Any], **given: Any) -> tuple[Any, str]:
    asked: Given = tool.input(**given)
    backend: Any = Plenty()
    call: Any = None
    answer = await tool.run(backend, asked, call)
    return answer.structured, answer.text


async def test_operations_that_had_no_room() -> None:
    shown, text = await _told(operations.OPERATIONS, limit=100)
    assert len(shown.operations) + shown.left_out == 100
    assert shown.cursor is None
    assert text.endswith(f"{shown.left_out} more had no room: call again with limit {len(shown.operations)}.")


async def test_results_that_had_no_room() -> None:
    shown, text = await _told(search.SEARCH, query="x", limit=20)
    assert text.startswith(f"Found {len(shown.results)} results:")
    assert re.findall(r"(\d+) more had no room", text) == [str(shown.left_out)] == [str(20 - len(shown.results))]


async def test_entities_come_without_a_cursor_that_cannot_be_given() -> None:
    shown, _ = await _told(graph.ENTITIES)
    assert "cursor" not in graph.ENTITIES.input.model_fields
    assert shown.cursor is None

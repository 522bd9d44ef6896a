"""The graph's tools, Knowgate's own and FlowRAG's, over a real pipe: both eras, on a data folder and on a server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from tests.doors.mcp.houses import KINDS, House, house
from tests.doors.mcp.talking import ERAS, indexed, talking, text

pytestmark = pytest.mark.anyio
FLOW = """# Shop

```mermaid
graph LR
  shop-service -->|publishes to| orders-topic
  billing-service -->|consumes| orders-topic
  billing-service -->|writes to| ledger-db
  shop-service -->|uses| ledger-db
```
"""
TEAMS = (
    "# Teams\n\n| service | owner | description |\n|---|---|---|\n| billing-service | Team Ink | sends the bills |\n"
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    (folder / "flow.md").write_text(FLOW, encoding="utf-8")
    (folder / "teams.md").write_text(TEAMS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Iterator[House]:
    with house(request.param, tmp_path_factory.mktemp("house"), {"KNOWGATE_DOCS": str(docs)}) as where:
        yield where


@pytest.fixture(scope="module", params=ERAS)
async def flowrag(request: pytest.FixtureRequest, place: House) -> AsyncIterator[Client]:
    arguments = ("mcp", "--toolset", "flowrag", *place.arguments)
    async with talking(*arguments, era=request.param, environ=place.environ) as client:
        told = text(await indexed(client))
        assert told.startswith("Indexed 2 documents, 2 chunks, "), told
        yield client


@pytest.fixture(scope="module")
async def native(flowrag: Client, place: House) -> AsyncIterator[Client]:
    async with talking("mcp", *place.arguments, era=ERAS[0], environ=place.environ) as client:
        yield client


async def _refused(client: Client, name: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return text(result)


async def _said(client: Client, name: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text(result)
    assert result.structured_content
    return text(result)


async def test_flowrag_index_and_stats(flowrag: Client) -> None:
    told = await _said(flowrag, "flowrag_index", {"force": True})
    assert told.startswith("Indexed 2 documents, 2 chunks, ")
    assert told.splitlines()[0].endswith(" relations")
    counts = await _said(flowrag, "flowrag_stats", {})
    lines = counts.splitlines()
    assert lines[:2] == ["Documents: 2", "Chunks: 2"]
    assert [line.split(":")[0] for line in lines] == ["Documents", "Chunks", "Entities", "Relations", "Vectors"]


async def test_flowrag_search(flowrag: Client) -> None:
    for mode in ("hybrid", "naive", "local", "global"):
        asked = {"query": "what does the billing-service write to", "mode": mode, "limit": 2}
        found = await flowrag.call_tool("flowrag_search", asked)
        head, first, *_ = text(found).split("\n\n")
        assert head.startswith("Found ")
        assert head.endswith(" results:")
        assert first.splitlines()[0].startswith(
            ("1. [vector] score: 0.", "1. [graph] score: 0.", "1. [vector] score: 1.")
        )
        assert first.splitlines()[1].startswith("   ")
        assert found.structured_content["results"][0]["file"] in ("flow.md", "teams.md")
    assert await _refused(flowrag, "flowrag_search", {"query": "a", "limit": 0}) == "limit is 0. Use at least 1."
    assert "limit" in await _refused(flowrag, "flowrag_search", {"query": "a", "limit": 1.5})
    assert "query" in await _refused(flowrag, "flowrag_search", {"query": ""})


async def test_flowrag_entities(flowrag: Client) -> None:
    told = await _said(flowrag, "flowrag_entities", {"query": "BILLING"})
    assert told.splitlines() == ["1 entities:", "[SERVICE] billing-service", "  sends the bills"]
    services = await _said(flowrag, "flowrag_entities", {"type": "SERVICE"})
    assert "[SERVICE] shop-service" in services
    assert "ledger-db" not in services
    assert await _said(flowrag, "flowrag_entities", {"query": "nothing like it"}) == "No entities found."
    found = await _said(flowrag, "flowrag_search_entities", {"query": "billing-service", "limit": 3})
    assert found.splitlines()[0] == "Found 3 entities:"
    assert found.splitlines()[1] == "1. [SERVICE] billing-service (score: 1.0000)"
    none = await _said(flowrag, "flowrag_search_entities", {"query": "bills", "type": "PROTOCOL"})
    assert none == "No entities found."


async def test_flowrag_relations_trace_and_path(flowrag: Client) -> None:
    told = await _said(flowrag, "flowrag_relations", {"entity": "ledger-db", "direction": "in"})
    lines = told.splitlines()
    assert lines[0] == '2 relations for "ledger-db":'
    assert "shop-service --[USES]--> ledger-db" in lines
    told = await _said(flowrag, "flowrag_relations", {"entity": "Team Ink", "direction": "in"})
    assert told == 'No relations found for "Team Ink".'
    told = await _said(flowrag, "flowrag_trace", {"entity": "shop-service", "direction": "downstream"})
    lines = told.splitlines()
    assert lines[0] == 'downstream flow from "shop-service":'
    assert lines[1].split(" → ")[0] == "shop-service"
    assert {"orders-topic", "billing-service", "ledger-db"} <= set(lines[1].split(" → "))
    told = await _said(flowrag, "flowrag_trace", {"entity": "ledger-db", "direction": "downstream"})
    assert told == 'No downstream flow found from "ledger-db".'
    told = await _said(flowrag, "flowrag_path", {"from": "Team Ink", "to": "ledger-db"})
    assert told.splitlines() == [
        'Path from "Team Ink" to "ledger-db":',
        "Team Ink --[OWNS]--> billing-service",
        "billing-service --[PRODUCES]--> ledger-db",
    ]
    told = await _said(flowrag, "flowrag_path", {"from": "ledger-db", "to": "Team Ink"})
    assert told == 'No path found between "ledger-db" and "Team Ink".'
    told = await _refused(flowrag, "flowrag_relations", {"entity": "bilingservice"})
    assert told.splitlines()[0] == 'Entity not found: "bilingservice"'
    assert "billing-service" in told


async def test_flowrag_schema(flowrag: Client) -> None:
    [schema] = (await flowrag.list_resources()).resources
    assert (schema.uri, schema.name, schema.mime_type) == ("flowrag://schema", "schema", "application/json")
    [content] = (await flowrag.read_resource("flowrag://schema")).contents
    assert json.loads(content.text)["relationTypes"] == ["USES", "PRODUCES", "CONSUMES", "OWNS", "DEPENDS_ON"]
    assert content.text.startswith('{\n  "entityTypes": [')
    with pytest.raises(MCPError, match="There is nothing at flowrag://elsewhere"):
        await flowrag.read_resource("flowrag://elsewhere")


async def test_native_graph_tools(native: Client) -> None:
    told = await _said(native, "knowgate_entities", {"type": "service", "limit": 1})
    assert told.splitlines()[0] == "1 entity:"
    assert 'More: call again with cursor "' in told
    told = await _said(native, "knowgate_relations", {"entity": "billing", "direction": "out"})
    assert "- billing-service --[CONSUMES]--> orders-topic" in told
    assert "flow.md: Shop" in told
    told = await _said(native, "knowgate_trace", {"entity": "orders-topic", "direction": "upstream"})
    assert told.splitlines()[0] == 'What lies upstream of "orders-topic":'
    assert "PRODUCES: shop-service [SERVICE]" in told.replace("←", "")
    told = await _said(native, "knowgate_path", {"from": "ledger-db", "to": "Team Ink", "any_direction": True})
    assert len(told.splitlines()) == 3
    told = await _said(native, "knowgate_path", {"from": "ledger-db", "to": "Team Ink"})
    assert "Try any_direction true" in told
    assert '"service" may also mean' in await _said(native, "knowgate_relations", {"entity": "service"})
    told = await _refused(native, "knowgate_trace", {"entity": "shop-servise", "direction": "downstream"})
    assert told.startswith('Entity not found: "shop-servise". The nearest names are shop-service')
    assert "direction" in await _refused(native, "knowgate_trace", {"entity": "shop-service", "direction": "sideways"})
    told = await _said(native, "knowgate_stats", {})
    assert "Relations: " in told

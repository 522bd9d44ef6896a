"""The tools at /mcp of the REST door's app, with the official client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from tests.doors.mcp.talking import ENVELOPE, ERAS, LATEST, MODES, SHAKE_HANDS, at_its_end, text
from tests.serving import listening

from knowgate import Engine

pytestmark = pytest.mark.anyio
_JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def url(engine: Engine) -> Iterator[str]:
    with listening(engine, workers=True) as url:
        yield url


@asynccontextmanager
async def _talking(url: str, key: str = "", era: str = "modern", toolset: str = "") -> AsyncIterator[Client]:
    headers = {"X-API-Key": key} if key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{url}/mcp{toolset}", http_client=http)
        async with Client(transport, mode=MODES[era]) as client:
            yield client


@pytest.mark.parametrize("era", ERAS)
async def test_a_journey(url: str, docs: Path, era: str) -> None:
    async with _talking(url, era=era) as client:
        done = await at_its_end(client, await client.call_tool("knowgate_ingest", {"path": str(docs)}))
        assert done.structured_content["status"] == "completed", text(done)
        found = await client.call_tool("knowgate_search", {"query": "who collects parcels", "limit": 1})
        assert found.structured_content["results"][0]["filename"] == "guides/parcels.md"
        answer = await client.call_tool("knowgate_chat", {"message": "Who collects every parcel?"})
        assert "courier" in text(answer)
        [content] = (await client.read_resource("knowgate://documents/refunds.md")).contents
        assert "five days" in content.text
        wrong = await client.call_tool("knowgate_search", {"query": ""})
        assert wrong.is_error
        assert text(wrong) == "query is required. Call again with query."
        with pytest.raises(MCPError, match="Unknown tool: openrag_search"):
            await client.call_tool("openrag_search", {"query": "a"})
    async with _talking(url, era=era, toolset="?toolset=openrag") as client:
        told = await client.call_tool("openrag_delete_document", {"filename": "refunds.md"})
        assert text(told) == "Successfully deleted 'refunds.md' (1 chunks removed)."


@pytest.mark.parametrize("era", ERAS)
async def test_scopes_decide_what_is_offered(engine: Engine, url: str, docs: Path, era: str) -> None:
    _, reader = engine.create_key("reader", ["read"])
    _, writer = engine.create_key("writer", ["read", "write"])
    async with _talking(url, reader, era) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "knowgate_search" in names
        assert "knowgate_ingest" not in names
        with pytest.raises(MCPError, match="Unknown tool: knowgate_ingest"):
            await client.call_tool("knowgate_ingest", {"text": "a", "filename": "a.md"})
    async with _talking(url, writer, era) as client:
        note = {"text": "# A note", "filename": "a.md"}
        done = await at_its_end(client, await client.call_tool("knowgate_ingest", note))
        assert done.structured_content["status"] == "completed"
        for path in (docs, docs / "missing"):
            refused = await client.call_tool("knowgate_ingest", {"path": str(path)})
            assert refused.is_error
            # What lies on the server is not told to those who may not know.
            assert "does not have the scope admin" in text(refused)


async def test_a_key_that_sees_a_part_sees_no_more(engine: Engine, url: str, docs: Path) -> None:
    engine.ingest([docs])
    saved = engine.create_filter("parcels", "", {"filters": {"data_sources": ["guides/*"]}})
    _, bound = engine.create_key("bound", ["read"], filter_id=saved.id)
    async with _talking(url, bound) as client:
        found = await client.call_tool("knowgate_search", {"query": "*"})
        assert {each["filename"] for each in found.structured_content["results"]} == {"guides/parcels.md"}
        assert text(await client.call_tool("knowgate_stats", {})).startswith("1 document,")
        with pytest.raises(MCPError, match="There is no document refunds"):
            await client.read_resource("knowgate://documents/refunds.md")


async def test_who_has_no_key_stays_outside(engine: Engine, url: str) -> None:
    _, key = engine.create_key("somebody", ["read"])
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": SHAKE_HANDS}
    async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
        refused = await http.post("/mcp", json=call, headers=_JSON)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.json()["code"] == "key_required"
        wrong = await http.post("/mcp", json=call, headers={**_JSON, "X-API-Key": "orag_" + "x" * 43})
        assert wrong.status_code == 401
        right = await http.post("/mcp", json=call, headers={**_JSON, "Authorization": f"Bearer {key}"})
        assert right.status_code == 200


async def test_what_is_no_call(url: str) -> None:
    async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
        for method in ("GET", "DELETE"):
            refused = await http.request(method, "/mcp", headers=_JSON)
            assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        page = await http.post("/mcp", json={}, headers={**_JSON, "Origin": "http://evil.example"})
        assert page.json()["code"] == "bad_origin"
        rebound = await http.post("/mcp", json={}, headers={**_JSON, "Host": "evil.example"})
        assert rebound.json()["code"] == "bad_host"
        unknown = await http.post("/mcp?toolset=nonsense", json={}, headers=_JSON)
        assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown_toolset")


async def test_discover_and_then_a_handshake(url: str) -> None:
    async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
        discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}
        headers = {**_JSON, "MCP-Protocol-Version": LATEST, "Mcp-Method": "server/discover"}
        found = await http.post("/mcp", json=discover, headers=headers)
        assert found.json()["result"]["supportedVersions"] == [LATEST]
        hello = {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": SHAKE_HANDS}
        shaken = await http.post("/mcp", json=hello, headers=_JSON)
        assert '"protocolVersion":"2025-11-25"' in shaken.text.replace(" ", "")


@pytest.mark.parametrize("era", ERAS)
async def test_progress_and_cancelling(engine: Engine, url: str, tmp_path: Path, era: str) -> None:
    for number in range(2000):
        (tmp_path / f"{number}.md").write_text(f"# Number {number}\n\nThe number is {number}.\n", encoding="utf-8")
    heard: list[tuple[float, str | None]] = []
    async with _talking(url, era=era) as client, anyio.create_task_group() as group:

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, message))
            group.cancel_scope.cancel()

        group.start_soon(_ingest, client, tmp_path, hear)
    assert heard[0][1]
    [task] = await anyio.to_thread.run_sync(engine.tasks)
    if era == "modern":
        # There a stream that is closed is a call that is taken back.
        ended = await anyio.to_thread.run_sync(engine.wait, task.id, 60)
        assert ended.status == "cancelled"
    else:
        engine.cancel(task.id)


async def _ingest(client: Client, folder: Path, hear: Callable[..., Any]) -> None:
    await client.call_tool("knowgate_ingest", {"path": str(folder)}, progress_callback=hear)


async def test_too_often(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(server={"chat_rate": "1/hour"})
    with listening(engine, workers=True) as url:
        async with _talking(url) as client:
            assert not (await client.call_tool("knowgate_chat", {"message": "Who?"})).is_error
            refused = await client.call_tool("knowgate_chat", {"message": "Who?"})
            assert refused.is_error
            assert "1 requests per hour" in text(refused)
            assert not (await client.call_tool("knowgate_stats", {})).is_error


async def test_too_large(open_engine: Callable[..., Engine]) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x" * (1 << 19)

    with listening(open_engine(server={"max_mb": 1})) as url:
        async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
            refused = await http.post("/mcp", content=pieces(), headers=_JSON)
            assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")

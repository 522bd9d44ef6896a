"""Every openrag_* tool over a real pipe with the official client: the texts that OpenRAG's users know, in both eras,
on a data folder and as `openrag-mcp` on a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.doors.mcp.houses import KINDS, House, house
from tests.doors.mcp.talking import ERAS, talking, text

pytestmark = pytest.mark.anyio
_OPENRAG = ["-c", "from knowgate.cli.start import openrag_mcp; openrag_mcp()"]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def refunds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("docs") / "refunds.md"
    path.write_text("# Refunds\n\nMoney goes back to the card within five days.\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(request.param, tmp_path_factory.mktemp("house")) as where:
        yield where


@pytest.fixture(scope="module", params=ERAS)
async def client(request: pytest.FixtureRequest, place: House, refunds: Path) -> AsyncIterator[Client]:
    if place.kind == "remote":
        opened = talking(era=request.param, environ=place.environ, script=_OPENRAG)
    else:
        arguments = ("mcp", "--toolset", "openrag", *place.arguments)
        opened = talking(*arguments, era=request.param, environ=place.environ)
    async with opened as client:
        await _first_file(client, refunds)
        yield client


async def _first_file(client: Client, path: Path) -> None:
    """It comes and goes: the first one takes longest, and on a busy machine longer than a call may last."""
    told = await client.call_tool("openrag_ingest_file", {"file_path": str(path), "wait": False})
    task = {"task_id": told.structured_content["task_id"]}
    while told.structured_content["status"] in ("pending", "running"):
        told = await client.call_tool("openrag_wait_for_task", task)
    await client.call_tool("openrag_delete_document", {"filename": path.name})


async def _told(client: Client, name: str, arguments: dict[str, Any], *, failed: bool = False) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error == failed, text(result)
    return text(result)


async def test_the_tools(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools)[:7] == [
        "openrag_chat",
        "openrag_search",
        "openrag_ingest_file",
        "openrag_ingest_url",
        "openrag_get_task_status",
        "openrag_wait_for_task",
        "openrag_delete_document",
    ]
    inputs = {name: tool.input_schema for name, tool in tools.items()}
    assert inputs["openrag_chat"]["required"] == ["message"]
    assert list(inputs["openrag_chat"]["properties"]) == [
        "message",
        "chat_id",
        "filter_id",
        "limit",
        "score_threshold",
    ]
    assert inputs["openrag_search"]["properties"]["limit"]["default"] == 10
    assert inputs["openrag_search"]["properties"]["score_threshold"]["default"] == 0
    assert inputs["openrag_ingest_file"]["properties"]["wait"]["default"] is True
    assert inputs["openrag_wait_for_task"]["properties"]["timeout"]["default"] == 300


async def test_a_document_comes_and_goes(client: Client, refunds: Path) -> None:
    ingested = await _told(client, "openrag_ingest_file", {"file_path": str(refunds)})
    assert ingested == "Successfully ingested 'refunds.md'.\nStatus: completed\nSuccessful files: 1"

    found = await client.call_tool("openrag_search", {"query": "money back to the card"})
    [hit] = found.structured_content["results"]
    assert text(found) == (
        f"Found 1 result(s):\n\n---\n**1. refunds.md**\nRelevance: {hit['score']:.2f}\n\n"
        "Refunds\n\nMoney goes back to the card within five days.\n"
    )
    none = await _told(client, "openrag_search", {"query": "money", "document_types": ["application/pdf"]})
    assert none == "No results found."

    answer = await client.call_tool("openrag_chat", {"message": "How many days until money goes back to the card?"})
    reply = answer.structured_content
    assert "five days" in reply["response"]
    score = reply["sources"][0]["score"]
    assert text(answer) == (
        f"{reply['response']}\n\n---\n**Sources:**\n1. refunds.md (relevance: {score:.2f})"
        f"\n\n_Chat ID: {reply['chat_id']}_"
    )

    queued = await client.call_tool("openrag_ingest_file", {"file_path": str(refunds), "wait": False})
    task = queued.structured_content["task_id"]
    if queued.structured_content["status"] in ("pending", "running"):
        assert text(queued) == (
            f"Successfully queued 'refunds.md' for ingestion.\nTask ID: {task}\n\n"
            "Use openrag_get_task_status or openrag_wait_for_task to check progress."
        )
    done = await _told(client, "openrag_wait_for_task", {"task_id": task})
    assert done == (
        f"**Task Completed: completed**\nTask ID: {task}\nTotal files: 1\nSuccessful: 1\nFailed: 0"
        "\n\n**File Details:**\n- refunds.md: skipped"
    )
    status = await _told(client, "openrag_get_task_status", {"task_id": task})
    assert status == (
        f"**Task Status: completed**\nTask ID: {task}\nTotal files: 1\nProcessed: 1\nSuccessful: 1\nFailed: 0"
        "\n\n**File Details:**\n- refunds.md: skipped"
    )

    gone = await _told(client, "openrag_delete_document", {"filename": "refunds.md"})
    assert gone == "Successfully deleted 'refunds.md' (1 chunks removed)."
    missing = await _told(client, "openrag_delete_document", {"filename": "refunds.md"}, failed=True)
    assert missing == "Failed to delete 'refunds.md'."


async def test_what_cannot_be_read(client: Client, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 no more")
    told = await _told(client, "openrag_ingest_file", {"file_path": str(broken)}, failed=True)
    assert told.startswith("Ingestion finished with status: failed\nSuccessful files: 0\nFailed files: 1\n- broken.pdf")
    told = await _told(client, "openrag_ingest_url", {"url": "http://127.0.0.1:9/a.html"}, failed=True)
    assert told.startswith("URL ingestion requested.\n\nhttp://127.0.0.1:9/a.html could not be ingested: ")


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("openrag_chat", "message"),
        ("openrag_search", "query"),
        ("openrag_ingest_file", "file_path"),
        ("openrag_ingest_url", "url"),
        ("openrag_get_task_status", "task_id"),
        ("openrag_wait_for_task", "task_id"),
        ("openrag_delete_document", "filename"),
    ],
)
async def test_an_empty_argument(client: Client, tool: str, argument: str) -> None:
    assert await _told(client, tool, {argument: ""}, failed=True) == f"Error: {argument} is required"
    assert await _told(client, tool, {}, failed=True) == f"Error: {argument} is required"


async def test_errors(client: Client, tmp_path: Path) -> None:
    missing = tmp_path / "missing.md"
    told = await _told(client, "openrag_ingest_file", {"file_path": str(missing)}, failed=True)
    assert told == f"Error: File not found: {missing}"
    told = await _told(client, "openrag_ingest_file", {"file_path": str(tmp_path)}, failed=True)
    assert told == f"Error: Path is not a file: {tmp_path}"
    told = await _told(client, "openrag_ingest_url", {"url": "ftp://a.example"}, failed=True)
    assert told == "Error: url must start with http:// or https://"
    for tool in ("openrag_get_task_status", "openrag_wait_for_task"):
        told = await _told(client, tool, {"task_id": "nothing"}, failed=True)
        assert told.startswith("Not found: There is no task nothing.")
    told = await _told(client, "openrag_search", {"query": "a", "limit": 5000}, failed=True)
    assert told == "Invalid request: limit is 5000. Use at most 1000."
    told = await _told(client, "openrag_search", {"query": "a", "filter_id": "nothing"}, failed=True)
    assert told.startswith("Not found: ")
    told = await _told(client, "openrag_chat", {"message": "hello", "chat_id": "nothing"}, failed=True)
    assert told.startswith("Not found: ")


async def test_settings_and_models(client: Client) -> None:
    told = await _told(client, "openrag_get_settings", {})
    assert told.startswith("**Current OpenRAG settings**\n\n**Agent (LLM)**\n- Provider: none\n- Model: ")
    assert "\n\n**Knowledge (embeddings & ingestion)**\n- Embedding provider: minilm\n" in told
    nothing = await _told(client, "openrag_update_settings", {}, failed=True)
    assert nothing == "No settings to update. Provide at least one option."
    changed = await _told(client, "openrag_update_settings", {"system_prompt": "Be brief."})
    assert changed == "Settings updated."
    assert "- System prompt: Be brief." in await _told(client, "openrag_get_settings", {})
    await _told(client, "openrag_update_settings", {"llm_provider": "anthropic", "llm_model": "large"})
    await _told(client, "openrag_update_settings", {"llm_provider": "none"})
    told = await _told(client, "openrag_list_models", {"provider": "nobody"}, failed=True)
    assert told.startswith("Invalid request: There is no provider nobody.")


async def test_a_wrong_key(place: House) -> None:
    if place.kind == "in process":
        pytest.skip("needs no key")
    environ = {**place.environ, "OPENRAG_API_KEY": "orag_" + "x" * 43}
    async with talking(environ=environ, script=_OPENRAG) as stranger:
        told = await _told(stranger, "openrag_search", {"query": "money"}, failed=True)
        assert told.startswith("Authentication error: ")


async def test_nobody_there(tmp_path: Path) -> None:
    environ = {"OPENRAG_API_KEY": "orag_" + "x" * 43, "OPENRAG_URL": "http://127.0.0.1:9"}
    async with talking(environ=environ, script=_OPENRAG) as client:
        told = await _told(client, "openrag_search", {"query": "money"}, failed=True)
        assert told.startswith("Server error: 127.0.0.1:9 cannot be reached")

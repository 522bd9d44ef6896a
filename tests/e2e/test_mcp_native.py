"""Every native tool over a real pipe with the official client: both eras, on a data folder and on a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import jsonschema
import pytest
from mcp import Client, MCPError
from mcp_types import PromptReference, ResourceTemplateReference
from tests.doors.mcp.houses import KINDS, House, house
from tests.doors.mcp.talking import ERAS, at_its_end, talking, text

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = tmp_path_factory.mktemp("handbook")
    (docs / "guides").mkdir()
    (docs / "refunds.md").write_text("# Refunds\n\nMoney goes back to the card within five days.\n", encoding="utf-8")
    (docs / "guides" / "parcels.md").write_text(
        "# Parcels\n\nThe courier collects every parcel at noon.\n", encoding="utf-8"
    )
    return docs


@pytest.fixture(scope="module", params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(request.param, tmp_path_factory.mktemp("house")) as where:
        yield where


@pytest.fixture(scope="module", params=ERAS)
async def client(request: pytest.FixtureRequest, place: House, folder: Path) -> AsyncIterator[Client]:
    async with talking("mcp", *place.arguments, era=request.param, environ=place.environ) as client:
        brought = await at_its_end(client, await client.call_tool("knowgate_ingest", {"path": str(folder)}))
        assert brought.structured_content["status"] == "completed", text(brought)
        yield client


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<html><title>Hours</title><body><h1>Hours</h1><p>The shop opens at nine.</p></body></html>"
            self.send_response(200 if self.path == "/hours.html" else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


async def _refused(client: Client, name: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return text(result)


async def test_search(client: Client) -> None:
    found = await client.call_tool("knowgate_search", {"query": "when does the money come back", "limit": 1})
    [hit] = found.structured_content["results"]
    assert hit["filename"] == "refunds.md"
    assert 0 < hit["score"] <= 1
    assert hit["headings"] == ["Refunds"]
    assert text(found).startswith("1 passage (hybrid search):\n\n1. refunds.md: Refunds (score ")
    assert "Money goes back to the card within five days." in text(found)

    every = await client.call_tool("knowgate_search", {"query": "*", "limit": 1})
    cursor = every.structured_content["cursor"]
    assert text(every).endswith(f'More: call again with cursor "{cursor}".')
    more = await client.call_tool("knowgate_search", {"query": "*", "cursor": cursor})
    names = {each["filename"] for each in every.structured_content["results"] + more.structured_content["results"]}
    assert {"refunds.md", "guides/parcels.md"} <= names

    detailed = await client.call_tool(
        "knowgate_search", {"query": "courier", "mode": "keyword", "response_format": "detailed"}
    )
    [hit] = detailed.structured_content["results"]
    assert hit["end"] > hit["start"]
    assert f"document {hit['document_id']}, characters {hit['start']} to {hit['end']}" in text(detailed)

    narrow = await client.call_tool("knowgate_search", {"query": "money", "data_sources": ["guides/*"]})
    assert {each["filename"] for each in narrow.structured_content["results"]} == {"guides/parcels.md"}
    none = await client.call_tool("knowgate_search", {"query": "courier", "document_types": ["pdf"]})
    assert none.structured_content["results"] == []
    assert text(none).startswith("No passage fits.")


async def test_search_with_bad_input(client: Client) -> None:
    assert await _refused(client, "knowgate_search", {}) == "query is required. Call again with query."
    assert await _refused(client, "knowgate_search", {"query": "a", "limit": 0}) == "limit is 0. Use at least 1."
    wrong = await _refused(client, "knowgate_search", {"query": "a", "querry": "b"})
    assert wrong == "There is no argument querry. Did you mean query?"
    wrong = await _refused(client, "knowgate_search", {"query": "a", "mode": "magic"})
    assert wrong == "mode is 'magic'. Use 'hybrid', 'naive', 'local', 'global', 'keyword' or 'vector'."
    wrong = await _refused(client, "knowgate_search", {"query": "a", "filter_id": "nothing"})
    assert wrong.endswith("Leave filter_id out, or ask the user for its id.")
    wrong = await _refused(client, "knowgate_search", {"query": "a", "cursor": "nonsense"})
    assert wrong.endswith("Call again without the cursor to begin anew.")


async def test_chat(client: Client) -> None:
    asked = {"message": "How many days until money goes back to the card?"}
    answer = await client.call_tool("knowgate_chat", asked)
    reply = answer.structured_content
    assert "five days" in reply["response"]
    assert reply["answered"]
    assert reply["sources"][0] | {"score": 0} == {
        "number": 1,
        "filename": "refunds.md",
        "score": 0,
        "cited": True,
        "headings": ["Refunds"],
    }
    assert reply["response"] in text(answer)
    assert "[1] refunds.md: Refunds (score" in text(answer)
    assert text(answer).endswith(f"chat_id: {reply['chat_id']}")
    more = await client.call_tool(
        "knowgate_chat", {"message": "And who collects every parcel?", "chat_id": reply["chat_id"]}
    )
    assert more.structured_content["chat_id"] == reply["chat_id"]
    assert "courier" in text(more)

    wrong = await _refused(client, "knowgate_chat", {"message": "hello", "chat_id": "nothing"})
    assert wrong.endswith("Leave chat_id out to begin a new conversation.")
    assert await _refused(client, "knowgate_chat", {"message": "  "})


async def test_ingest_a_text_and_delete_it(client: Client) -> None:
    note = {"text": "# Hours\n\nThe shop opens at nine.", "filename": "hours.md"}
    done = await client.call_tool("knowgate_ingest", note)
    state = done.structured_content
    assert (state["done"], state["status"], state["total_files"]) == (True, "completed", 1)
    assert text(done) == (
        f"Task {state['task_id']} is done: completed. 1 file: 1 succeeded, 0 failed.\n- hours.md: completed, 1 passage"
    )
    again = await client.call_tool("knowgate_task", {"task_id": state["task_id"]})
    assert text(again) == text(done)

    gone = await client.call_tool("knowgate_delete_document", {"filename": "hours.md"})
    assert gone.structured_content["passages"] == 1
    assert text(gone).startswith("Deleted hours.md (1 passage, document ")
    wrong = await _refused(client, "knowgate_delete_document", {"filename": "refund.md"})
    assert wrong == "There is no document refund.md. Nearest: refunds.md."


async def test_ingest_a_page(client: Client, page: str) -> None:
    done = await client.call_tool("knowgate_ingest", {"url": f"{page}/hours.html"})
    assert done.structured_content["status"] == "completed", text(done)
    broken = await client.call_tool("knowgate_ingest", {"url": f"{page}/missing.html"})
    assert broken.is_error
    assert broken.structured_content["status"] == "failed"
    assert "failed: " in text(broken)
    await client.call_tool("knowgate_delete_document", {"filename": "hours.html"})


async def test_ingest_with_bad_input(client: Client, tmp_path: Path) -> None:
    missing = tmp_path / "missing.md"
    wrong = await _refused(client, "knowgate_ingest", {"path": str(missing)})
    assert wrong == f"There is no file or folder {missing}. Give an absolute path."
    wrong = await _refused(client, "knowgate_ingest", {})
    assert wrong == "Nothing was given. Give exactly one of path, url, or text with filename."
    wrong = await _refused(client, "knowgate_ingest", {"path": "/a", "url": "http://a.example"})
    assert wrong.startswith("path and url were given together.")
    wrong = await _refused(client, "knowgate_ingest", {"text": "no name"})
    assert wrong == "text and filename belong together. Give both, or neither."
    wrong = await _refused(client, "knowgate_ingest", {"url": "ftp://a.example"})
    assert wrong.startswith("url is 'ftp://a.example'.")
    wrong = await _refused(client, "knowgate_task", {"task_id": "nothing"})
    assert wrong == "There is no task nothing. Use the task_id that knowgate_ingest returned."
    wrong = await _refused(client, "knowgate_task", {"task_id": "a", "wait_seconds": 60})
    assert wrong == "wait_seconds is 60. Use at most 25."


async def test_documents_and_stats(client: Client) -> None:
    listed = await client.call_tool("knowgate_documents", {"limit": 1})
    [first] = listed.structured_content["documents"]
    rest = await client.call_tool("knowgate_documents", {"cursor": listed.structured_content["cursor"]})
    names = {first["filename"], *(each["filename"] for each in rest.structured_content["documents"])}
    assert {"refunds.md", "guides/parcels.md"} <= names
    assert f"- {first['filename']} (markdown, 1 passage, document {first['document_id']})" in text(listed)
    named = await client.call_tool("knowgate_documents", {"query": "PARCEL"})
    assert [each["filename"] for each in named.structured_content["documents"]] == ["guides/parcels.md"]
    assert text(await client.call_tool("knowgate_documents", {"query": "zzz"})).startswith("No document is called so.")
    assert (await _refused(client, "knowgate_documents", {"cursor": "nonsense"})).endswith("begin anew.")

    stats = await client.call_tool("knowgate_stats", {})
    counts = stats.structured_content
    assert counts["documents"] >= 2
    assert f"{counts['documents']} documents, {counts['passages']} passages." in text(stats)


async def test_an_unknown_tool(client: Client) -> None:
    with pytest.raises(MCPError, match="Unknown tool: knowgate_serch; did you mean knowgate_search"):
        await client.call_tool("knowgate_serch", {})


async def test_what_is_structured_fits_its_schema(client: Client) -> None:
    schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("knowgate_search", {"query": "money"}),
        ("knowgate_search", {"query": "nothing at all", "score_threshold": 1}),
        ("knowgate_chat", {"message": "Who collects every parcel?"}),
        ("knowgate_ingest", {"text": "# Fits", "filename": "fits.md"}),
        ("knowgate_documents", {}),
        ("knowgate_delete_document", {"filename": "fits.md"}),
        ("knowgate_stats", {}),
    ]
    for name, arguments in calls:
        result = await client.call_tool(name, arguments)
        jsonschema.validate(result.structured_content, schemas[name])


async def test_names_are_completed(client: Client) -> None:
    template = ResourceTemplateReference(uri="knowgate://documents/{+name}")
    found = await client.complete(template, {"name": "name", "value": "parc"})
    assert found.completion.values == ["guides/parcels.md"]
    prompt = PromptReference(name="summarise_document")
    assert (await client.complete(prompt, {"name": "document", "value": "refu"})).completion.values == ["refunds.md"]
    assert (await client.complete(prompt, {"name": "focus", "value": "a"})).completion.values == []


async def test_resources_and_prompts(client: Client) -> None:
    shelf, schema = (await client.list_resources()).resources
    assert "entityTypes" in (await client.read_resource(schema.uri)).contents[0].text
    listing = (await client.read_resource(shelf.uri)).contents[0].text
    assert "knowgate://documents/guides/parcels.md" in listing
    template, operation = (await client.list_resource_templates()).resource_templates
    assert operation.uri_template == "knowgate://operations/{id}"
    assert template.uri_template == "knowgate://documents/{+name}"
    [content] = (await client.read_resource("knowgate://documents/guides/parcels.md")).contents
    assert content.text == "Parcels\n\nThe courier collects every parcel at noon."
    assert content.mime_type == "text/plain"
    with pytest.raises(MCPError, match="There is no document nothing"):
        await client.read_resource("knowgate://documents/nothing.md")
    with pytest.raises(MCPError, match="There is nothing at knowgate://elsewhere"):
        await client.read_resource("knowgate://elsewhere")

    names = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert names == ["summarise_document", "answer_with_citations", "explain_data_flow", "plan_api_calls"]
    prompt = await client.get_prompt("summarise_document", {"document": "refunds.md", "focus": "dates"})
    assert "refunds.md" in prompt.messages[0].content.text
    assert prompt.messages[0].content.text.endswith("dates")
    assert "When?" in (await client.get_prompt("answer_with_citations", {"question": "When?"})).messages[0].content.text
    with pytest.raises(MCPError, match="question is required"):
        await client.get_prompt("answer_with_citations", {})
    with pytest.raises(MCPError, match="There is no prompt nothing"):
        await client.get_prompt("nothing", {})

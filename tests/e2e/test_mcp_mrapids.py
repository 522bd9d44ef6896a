"""`mrapids-agent` and the toolset `mrapids` as an app starts them, with a made-up API behind."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2 as httpx
import orjson
import pytest
from mcp import Client
from tests.doors.mcp.talking import ERAS, talking, text

from knowgate.cli.agent.example import EXAMPLE
from knowgate.tools.mrapids.budget import tokens

pytestmark = pytest.mark.anyio
SCRIPT = ["-c", "from knowgate.cli.start import mrapids_agent; mrapids_agent()"]
ENVIRON = {"SHELF_TOKEN": "s3cr3t-shelf-token"}
CONFIG = """
[server]
port = 0
[defaults]
base_url = "{url}"
[security]
allow_private = true
"""
POLICY = """
version: "1.0"
defaults: {allow_methods: [GET, POST], require_auth: false}
rules:
  - name: keep
    pattern: "*"
    deny: {operations: [removeBook], reason: Books stay.}
"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a made-up API."""
    spec = tmp_path_factory.mktemp("api") / "api.yaml"
    spec.write_text(EXAMPLE, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "knowgate", "apis", "mock", str(spec), "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    found = re.search(r"http://\S+", process.stderr.readline())
    assert found
    yield found[0]
    process.terminate()
    assert process.wait(60) == 0
    process.stderr.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, api: str) -> Path:
    folder = tmp_path_factory.mktemp("desk") / ".mrapids"
    (folder / "auth").mkdir(parents=True)
    for name, content in (
        ("mcp-server.toml", CONFIG.format(url=api)),
        ("policy.yaml", POLICY),
        ("api.yaml", EXAMPLE),
        ("auth/shelf.toml", '[profile]\nname = "shelf"\ntype = "bearer"\ntoken_env = "SHELF_TOKEN"\n'),
    ):
        (folder / name).write_text(content, encoding="utf-8")
        (folder / name).chmod(0o600)
    return folder


@pytest.fixture(scope="module", params=ERAS)
async def client(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Client]:
    arguments = ["start", "--port", "0", "--config-dir", folder]
    async with talking(*arguments, era=request.param, environ=ENVIRON, script=SCRIPT) as client:
        yield client


async def test_one_tool_for_each_operation_that_the_policy_may_allow(client: Client) -> None:
    listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == {"listBooks", "addBook", "getBook", "run_operation"}
    add = next(tool for tool in listed if tool.name == "addBook")
    assert add.input_schema["required"] == ["body"]
    assert add.annotations
    assert not add.annotations.read_only_hint


async def test_a_journey(client: Client) -> None:
    made = await client.call_tool("addBook", {"body": {"title": "Momo"}})
    assert not made.is_error, text(made)
    assert made.structured_content
    book: dict[str, Any] = made.structured_content["data"]
    assert book["title"] == "Momo"
    again = await client.call_tool("getBook", {"id": book["id"]})
    assert again.structured_content
    assert again.structured_content["data"] == book
    assert "Momo" in text(again)
    assert "not instructions" in text(again)


async def test_what_is_wrong_is_told(client: Client) -> None:
    wrong = await client.call_tool("getBook", {"id": "many"})
    assert wrong.is_error
    assert "/id" in text(wrong)
    denied = await client.call_tool("removeBook", {"id": 1})
    assert denied.is_error
    assert "policy" in text(denied)
    unknown = await client.call_tool("getBok", {"id": 1})
    assert unknown.is_error
    assert "getBook" in text(unknown)
    with pytest.raises(Exception, match="Unknown tool"):
        await client.call_tool("get book", {})


def wide(operations: int) -> bytes:
    answer = {"responses": {"200": {"description": "fine"}}}
    paths = {
        f"/things/{number}": {"get": {"operationId": f"getThing{number}", **answer}} for number in range(operations)
    }
    info = {"title": "Wide", "version": "1"}
    return orjson.dumps({"openapi": "3.1.0", "info": info, "servers": [{"url": "http://127.0.0.1:9"}], "paths": paths})


@pytest.mark.parametrize("era", ERAS)
async def test_many_operations_are_found_by_searching(tmp_path: Path, era: Any) -> None:
    (tmp_path / "wide.json").write_bytes(wide(1000))
    config = tmp_path / "knowgate.toml"
    config.write_text(f"data = 'data'\n[apis.wide]\nspec = '{tmp_path / 'wide.json'}'\n", encoding="utf-8")
    async with talking("mcp", "--toolset", "mrapids", "--config", config, era=era) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == ["search_operations", "describe_operation", "run_operation"]
        shown = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in listed]
        assert tokens(orjson.dumps(shown).decode()) < 1000
        found = await client.call_tool("search_operations", {"query": "thing 77", "limit": 5})
        assert "getThing77" in text(found)
        described = await client.call_tool("describe_operation", {"operation_id": "getThing77"})
        assert "/things/77" in text(described)
        tried = await client.call_tool("run_operation", {"operation_id": "getThing77", "dry_run": True})
        assert "curl" in text(tried)
        missing = await client.call_tool("run_operation", {"operation_id": "getThong77"})
        assert missing.is_error
        assert "getThing77" in text(missing)


async def test_only_reading(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_text(EXAMPLE, encoding="utf-8")
    config = tmp_path / "knowgate.toml"
    config.write_text(f"data = 'data'\n[apis.shelf]\nspec = '{tmp_path / 'api.yaml'}'\n", encoding="utf-8")
    async with talking("mcp", "--toolset", "mrapids", "--read-only", "--config", config) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"listBooks", "getBook"}
        with pytest.raises(Exception, match="Unknown tool"):
            await client.call_tool("addBook", {"body": {"title": "x"}})


async def test_the_app_s_agent_serves_http_too(folder: Path) -> None:
    noted = folder / "mrapids-agent.pid"
    noted.unlink(missing_ok=True)
    arguments = ["start", "--port", "0", "--config-dir", folder]
    async with talking(*arguments, script=SCRIPT, environ=ENVIRON) as client:
        await client.list_tools()
        with anyio.fail_after(60):
            while not noted.exists():
                await anyio.sleep(0.05)
        url = noted.read_text(encoding="utf-8").split()[1]
        async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
            message = {"jsonrpc": "2.0", "method": "tools/run", "params": {"operation_id": "listBooks"}, "id": 2}
            told = (await http.post(url, json=message)).json()
    assert told["result"]["status"] == 200


async def test_a_port_that_is_taken_does_not_matter_to_the_app(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        async with talking("start", "--port", port, "--config-dir", folder, script=SCRIPT, environ=ENVIRON) as client:
            assert (await client.call_tool("listBooks", {})).structured_content

"""`flowrag-mcp` as an app starts it: FlowRAG's flags and files, its tools and texts, over a pipe and over HTTP."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from mcp import Client
from tests.doors.mcp.talking import ERAS, Line, indexed, talking, text

pytestmark = pytest.mark.anyio
SCRIPT = ["-c", "from knowgate.cli.start import flowrag_mcp; flowrag_mcp()"]
TOOLS = {"index", "search", "search_entities", "entities", "relations", "trace", "path", "stats"}
PAGE = """# The shop

```mermaid
graph LR
  web[Web shop] -->|uses| orders[Order service]
  orders -->|uses| ledger[(Ledger DB)]
```
"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with FlowRAG's configuration, where the app starts us."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "content").mkdir()
    (folder / "content" / "shop.md").write_text(PAGE, encoding="utf-8")
    config = {"docs": "./content", "extractor": {"provider": "openai"}, "colour": "blue"}
    (folder / "flowrag.config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=ERAS)
async def client(request: pytest.FixtureRequest, desk: Path) -> AsyncIterator[Client]:
    data = desk / f"data-{request.param}"
    arguments = ["--config", desk / "flowrag.config.json", "--docs", desk / "content", "--data", data, "--verbose"]
    async with talking(*arguments, era=request.param, script=SCRIPT) as client:
        yield client


async def test_the_tools(client: Client) -> None:
    listed = await client.list_tools()
    assert {tool.name for tool in listed.tools} == {f"flowrag_{name}" for name in TOOLS}


async def test_a_journey(client: Client) -> None:
    told = text(await indexed(client))
    assert re.match(r"Indexed 1 documents, \d+ chunks, \d+ entities, \d+ relations", told), told
    found = await client.call_tool("flowrag_path", {"from": "Web shop", "to": "Ledger DB"})
    assert text(found).startswith('Path from "Web shop" to "Ledger DB":\nWeb shop --[USES]--> ')
    traced = await client.call_tool("flowrag_trace", {"entity": "web shop", "direction": "downstream"})
    assert "Ledger DB" in text(traced)
    unknown = await client.call_tool("flowrag_relations", {"entity": "zebra"})
    assert unknown.is_error
    assert text(unknown).startswith('Entity not found: "zebra"')
    [schema] = (await client.read_resource("flowrag://schema")).contents
    assert "SERVICE" in schema.text


async def test_the_same_by_another_name(desk: Path) -> None:
    async with talking("mcp", "--toolset", "flowrag", "--data", desk / "own") as client:
        assert text(await client.call_tool("flowrag_stats", {})).startswith("Documents: 0\n")
        refused = await client.call_tool("flowrag_index", {})
        assert text(refused).startswith("Error: No docs path configured.")


def run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """With an app that hangs up at once."""
    return subprocess.run(
        [sys.executable, *SCRIPT, *arguments],
        cwd=folder,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_what_is_passed_over_is_told(desk: Path) -> None:
    (desk / "data" / "kv").mkdir(parents=True, exist_ok=True)
    ran = run(desk, "--verbose", "3")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "passed over: --verbose 3" in ran.stderr
    assert "There is no setting colour" in ran.stderr
    assert "extractor (openai) has no key" in ran.stderr
    assert f"knowgate import flowrag {desk / 'data'}" in ran.stderr


def test_a_configuration_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "flowrag.config.json").write_text("{", encoding="utf-8")
    ran = run(tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "[config_syntax]" in ran.stderr


def test_changes_since_the_last_indexing_are_told(tmp_path: Path) -> None:
    """On stderr, when the house is opened."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    assert "changed" not in call_once(tmp_path, "flowrag_index", {"docs": "docs"})
    told = call_once(tmp_path, "flowrag_stats", {"docs": "docs", "schema": {"entityTypes": ["TOPIC"]}})
    assert "flowrag-mcp: The schema changed" in told


def call_once(folder: Path, tool: str, config: dict[str, Any]) -> str:
    """What was written to stderr."""
    (folder / "flowrag.config.json").write_text(json.dumps(config), encoding="utf-8")
    with (folder / "stderr").open("w+", encoding="utf-8") as told:
        with started(folder, stderr=told) as process:
            line = Line(process)
            line.shake_hands()
            assert "result" in line.ask("tools/call", {"name": tool, "arguments": {}})
            assert line.hang_up() == 0
        told.seek(0)
        return told.read()


@contextmanager
def started(folder: Path, stderr: Any, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, *SCRIPT],
        cwd=folder,
        env={**os.environ, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    config = {"transport": "http", "port": 0, "auth": {"token": "${FLOWRAG_TOKEN}"}}
    (folder / "flowrag.config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / ".env").write_text("FLOWRAG_TOKEN=s3cret\n", encoding="utf-8")
    with started(folder, subprocess.PIPE) as process:
        assert process.stderr
        line = process.stderr.readline().decode()
        assert "Listening at http://127.0.0.1:" in line, line
        yield line.rsplit(maxsplit=1)[1].removesuffix("/mcp")
        process.terminate()
        assert process.wait(60) == 0


def asked(url: str, **headers: str) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "flowrag_stats", "arguments": {}}}
    accept = {"Accept": "application/json, text/event-stream"}
    return httpx.post(f"{url}/mcp", json=body, headers={**accept, **headers}, timeout=60)


def test_over_http_with_the_token(served: str) -> None:
    answer = asked(served, Authorization="Bearer s3cret")
    assert answer.status_code == 200
    assert "Documents: 0" in answer.text
    assert httpx.get(f"{served}/mcp", timeout=60, headers={"Authorization": "bearer s3cret"}).status_code == 405


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer s3cre"}, {"Authorization": "Basic s3cret"},
                                    {"X-API-Key": "s3cret"}, {"Authorization": "Bearer"}])  # fmt: skip
def test_over_http_without_the_token(served: str, header: dict[str, str]) -> None:
    answer = asked(served, **header)
    assert (answer.status_code, answer.json()) == (401, {"error": "Unauthorized"})


def test_health_is_open_and_all_else_is_not_there(served: str) -> None:
    assert httpx.get(f"{served}/health", timeout=60).json() == {"status": "ok"}
    for path in ("/", "/api/v1/search?query=a", "/keys"):
        assert httpx.get(f"{served}{path}", timeout=60, headers={"Authorization": "Bearer s3cret"}).status_code == 404


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"transport": "http"}, "token_missing"),
        ({"transport": "http", "auth": {"token": "${NOT_SET_ANYWHERE}"}}, "unset_variable"),
        ({"transport": "http", "auth": {"token": "${EMPTY}"}}, "unset_variable"),
        ({"transport": "http", "auth": {"token": ""}}, "bad_setting"),
    ],
)
def test_no_token_is_no_way_to_leave_the_door_open(tmp_path: Path, config: dict[str, Any], code: str) -> None:
    (tmp_path / "flowrag.config.json").write_text(json.dumps(config), encoding="utf-8")
    ran = run(tmp_path, EMPTY="")
    assert ran.returncode == 2
    assert f"[{code}]" in ran.stderr

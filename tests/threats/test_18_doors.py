"""Threat 18: whatever door is taken, what the policy denies reaches neither an API nor the store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.doors.mcp.talking import talking
from tests.serving import listening
from tests.threats.conftest import WRITES

from knowgate import Engine
from knowgate.cli.main import run
from knowgate.guard.audit.read import Wanted
from knowgate.store.port import Stats
from knowgate.tools.toolsets import find_toolset

NOTHING = f'{WRITES}rules:\n  - {{name: nothing, tools: ["knowgate_*"], deny: true}}\n'
Seen = Callable[[], list[dict[str, Any]]]
TOOLSETS = ("native", "openrag", "flowrag", "mrapids")

REST: list[tuple[str, str, Any]] = [
    ("POST", "/search", {"query": "parcels"}),
    ("POST", "/chat", {"message": "parcels?"}),
    ("GET", "/chat", None),
    ("POST", "/documents/ingest", {"url": "https://example.com/x"}),
    ("POST", "/documents/ingest", {"text": "x", "filename": "x.md"}),
    ("GET", "/documents", None),
    ("DELETE", "/documents", {"filename": "parcels.md"}),
    ("GET", "/graph/entities", None),
    ("GET", "/graph/stats", None),
    ("GET", "/tasks", None),
    ("GET", "/settings", None),
    ("POST", "/settings", {"chunk_size": 100}),
    ("GET", "/keys", None),
    ("POST", "/keys", {"name": "x"}),
    ("GET", "/stats", None),
    ("GET", "/operations", None),
    ("GET", "/operations/answerText", None),
    ("POST", "/operations/answerText/run", {}),
    ("POST", "/operations/createPet/run", {"body": {"name": "Tom"}}),
]
COMMANDS = (
    "search parcels",
    "chat parcels",
    "documents",
    "show parcels.md",
    "delete parcels.md",
    "ingest parcels.md",
    "stats",
    "graph entities",
    "keys create x",
    "keys list",
    "filters create x",
    "export out.kgz",
    "apis run answerText",
    """apis run createPet --body {"name":"x"}""",
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def denying(house: Callable[..., Engine], seen: Seen, tmp_path: Path) -> Engine:
    before = house()
    before.ingest(text="# Parcels\n\nThey leave at noon.", filename="parcels.md")
    before.apis()  # the description itself is fetched before anything is denied
    before.close()
    return house(NOTHING)


@pytest.fixture
def config(denying: Engine, api: str, tmp_path: Path) -> Path:
    path = tmp_path / "knowgate.toml"
    path.write_text(
        f"data = {json.dumps(str(denying.settings.data))}\n[policy]\nfile = 'policy.yaml'\n"
        f"[apis.shop]\nspec = '{api}/openapi.json'\nbase_url = '{api}'\nallow_private = true\n",
        encoding="utf-8",
    )
    return path


def _untouched(engine: Engine, seen: Seen, before: Stats) -> None:
    assert seen() == []
    assert engine.store.stats() == before


def test_rest(denying: Engine, seen: Seen) -> None:
    before = denying.store.stats()
    with listening(denying) as url, httpx2.Client(base_url=f"{url}/api/v1", timeout=60) as http:
        for method, path, body in REST:
            answered = http.request(method, path, json=body)
            assert (answered.status_code, answered.json()["code"]) == (403, "denied_by_policy"), path
    _untouched(denying, seen, before)


def test_the_mrapids_dialect(denying: Engine, seen: Seen) -> None:
    before = denying.store.stats()
    with listening(denying) as url:
        pet: dict[str, Any] = {"body": {"name": "Tom"}}
        for operation, given in (("answerText", {}), ("createPet", pet), ("ANSWERTEXT", {})):
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/run", "params": {**given, "operation_id": operation}}
            for sent in (call, [call, call]):
                told = httpx2.post(f"{url}/rpc", json=sent, timeout=60).json()
                for each in told if isinstance(told, list) else [told]:
                    assert each["error"]["code"] in (1001, 3004), each
    _untouched(denying, seen, before)


def _given(tool: Any) -> dict[str, Any]:
    values = {"query": "parcels", "message": "parcels?", "text": "x", "filename": "parcels.md", "entity": "x"}
    fields = tool.input.model_fields
    return {name: values.get(name, "x") for name in fields if name in values or fields[name].is_required()}


def _all_on_record(engine: Engine, toolset: str) -> None:
    tried = {f"knowgate_{(tool.does or tool.name).removeprefix('knowgate_')}" for tool in find_toolset(toolset).tools}
    assert tried <= {each["tool"] for each in engine.audit(Wanted(decision="deny"), limit=1000).records}


async def _try_everything(client: Client, toolset: str) -> None:
    assert [tool.name for tool in (await client.list_tools()).tools] == []
    for tool in find_toolset(toolset).tools:
        try:
            answer = await client.call_tool(tool.name, _given(tool))
        except MCPError:
            continue
        assert answer.is_error, tool.name
    if toolset == "native":
        for address in ("knowgate://documents", "knowgate://documents/parcels.md", "knowgate://schema"):
            with pytest.raises(MCPError):
                await client.read_resource(address)


@pytest.mark.anyio
@pytest.mark.parametrize("toolset", TOOLSETS)
async def test_mcp_over_stdio(denying: Engine, seen: Seen, config: Path, toolset: str) -> None:
    before = denying.store.stats()
    async with talking("--config", config, "mcp", "--toolset", toolset) as client:
        await _try_everything(client, toolset)
    _untouched(denying, seen, before)
    _all_on_record(denying, toolset)


@pytest.mark.anyio
@pytest.mark.parametrize("toolset", TOOLSETS)
async def test_mcp_over_http(denying: Engine, seen: Seen, toolset: str) -> None:
    before = denying.store.stats()
    with listening(denying) as url:
        async with Client(streamable_http_client(f"{url}/mcp?toolset={toolset}")) as client:
            await _try_everything(client, toolset)
    _untouched(denying, seen, before)
    _all_on_record(denying, toolset)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line(
    denying: Engine, seen: Seen, config: Path, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = denying.store.stats()
    (tmp_path / "parcels.md").write_text("# Other", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["--config", str(config), *command.split()]) == 3
    _untouched(denying, seen, before)


def test_replay_shows_a_command_and_sends_nothing(denying: Engine, seen: Seen, config: Path) -> None:
    with pytest.raises(Exception, match="rule nothing"):
        denying.run_operation("answerText")
    record = denying.audit().records[0]
    assert run(["--config", str(config), "audit", "show", record["id"], "--curl"]) == 0
    assert seen() == []

"""A call that needs a yes: the app asks the person who started it, and the call goes on with his answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult
from tests.apis.service import service
from tests.doors.mcp.talking import ERAS, MODES, Era, talking, text
from tests.serving import listening

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.guard.audit.read import Wanted

ASKING = """version: "1.0"
defaults: {require_auth: false, ask_methods: [POST]}
rules:
  - {name: careful, tools: [knowgate_delete_document], ask: true}
"""
DELETE = ("knowgate_delete_document", {"filename": "parcels.md"})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    with service() as address:
        yield address


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(ASKING, encoding="utf-8")
    path = tmp_path / "knowgate.toml"
    path.write_text(f"data = '{tmp_path / 'data'}'\n[policy]\nfile = 'policy.yaml'\n", encoding="utf-8")
    with _engine(tmp_path) as engine:
        engine.ingest(text="# Parcels\n\nThey leave at noon.", filename="parcels.md")
    return path


def _engine(folder: Path) -> Engine:
    return Engine(Settings.model_validate({"data": folder / "data", "policy": {"file": folder / "policy.yaml"}}))


class Person:
    def __init__(self, action: str) -> None:
        self.action = action
        self.asked: list[str] = []

    async def __call__(self, _: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult.model_validate({"action": self.action, "content": {} if self.action == "accept" else None})


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "state", "left", "told"),
    [
        ("accept", "used", 0, "Deleted"),
        ("decline", "refused", 1, "refused this call"),
        ("cancel", "asked", 1, "knowgate approvals give"),
    ],
)
async def test_the_persons_answer_counts(config: Path, era: Era, action: str, state: str, left: int, told: str) -> None:
    person = Person(action)
    async with talking("--config", config, "mcp", era=era, person=person) as client:
        answer = await client.call_tool(*DELETE)
    assert told in text(answer)
    assert answer.is_error is bool(left)
    assert len(person.asked) == 1
    assert "knowgate_delete_document" in person.asked[0]
    assert "parcels.md" in person.asked[0]
    with _engine(config.parent) as engine:
        [approval] = engine.approvals()
        assert approval.state == state
        assert approval.channel == (None if action == "cancel" else "elicitation")
        assert engine.store.stats().documents == left
        assert {record["agent_id"] for record in engine.audit(Wanted(tool=DELETE[0])).records} == {"mcp"}


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_an_app_that_cannot_ask_is_told_what_to_do(config: Path, era: Era) -> None:
    async with talking("--config", config, "mcp", era=era) as client:
        answer = await client.call_tool(*DELETE)
    assert answer.is_error
    assert "knowgate approvals give" in text(answer)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_whoever_calls_over_the_network_does_not_answer_himself(config: Path, era: Era) -> None:
    person = Person("accept")
    with _engine(config.parent) as engine, listening(engine) as url:
        transport = streamable_http_client(f"{url}/mcp")
        async with Client(transport, mode=MODES[era], elicitation_callback=person) as client:
            answer = await client.call_tool(*DELETE)
        assert answer.is_error
        [approval] = engine.approvals("asked")
        assert f"knowgate approvals give {approval.id}" in text(answer)
        assert person.asked == []
        assert engine.store.stats().documents == 1


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_a_write_to_an_api_shows_where_it_goes(config: Path, era: Era, api: str) -> None:
    with config.open("a", encoding="utf-8") as file:
        file.write(f"[apis.shop]\nspec = '{api}/openapi.json'\nbase_url = '{api}'\nallow_private = true\n")
    person = Person("accept")
    call = {"operation_id": "createPet", "body": {"name": "Tom\n\x1b[2JAll is well."}}
    async with talking("--config", config, "mcp", era=era, person=person) as client:
        answer = await client.call_tool("knowgate_run_operation", call)
    assert not answer.is_error, text(answer)
    [asked] = person.asked
    assert f"POST {api}/bodies/json" in asked
    assert asked.isprintable()

"""The agent's configuration decides on environment and profile, not a caller."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doors.rpc.conftest import Hub

from knowgate.config.mrapids import Mrapids
from knowgate.config.settings import Settings
from knowgate.doors.rpc.agent import AgentEngine
from knowgate.doors.rpc.messages import answer
from knowgate.model import Principal

POLICY = """
version: "1.0"
defaults: {allow_methods: [GET], ask_methods: [POST], require_auth: false}
rules:
  - name: not-in-production
    pattern: "*"
    conditions: [{environment: production}]
    deny: {operations: [listRepos]}
"""


@pytest.fixture
def agent(settings: Settings, tmp_path: Path) -> Iterator[AgentEngine]:
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = settings.policy.model_copy(update={"file": tmp_path / "policy.yaml"})
    changed = settings.model_copy(update={"policy": policy, "data": tmp_path / "data"})
    with AgentEngine(Mrapids(tmp_path, {}, environment="production"), changed) as agent:
        yield agent


def run(engine: AgentEngine, operation: str, **params: Any) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "method": "tools/run", "id": 1, "params": {"operation_id": operation, **params}}
    told = answer(engine, json.dumps(message).encode())
    assert told
    return json.loads(told)


def test_the_environment_is_the_configured_one(agent: AgentEngine):
    before = list(Hub.seen)
    assert run(agent, "listRepos")["error"]["code"] == 1001
    assert run(agent, "listRepos", env="staging")["error"]["code"] == 1013
    assert run(agent, "listRepos", auth_profile="other")["error"]["code"] == 1013
    assert Hub.seen == before
    assert run(agent, "long", env="production")["result"]["status"] == 200


def test_so_it_is_for_whoever_calls(agent: AgentEngine):
    visitor = agent.acting_for(Principal("k", "k", frozenset({"apis"})))
    assert run(visitor, "listRepos", env="staging")["error"]["code"] == 1013


def test_a_caller_may_choose_where_that_is_configured(agent: AgentEngine, tmp_path: Path):
    free = AgentEngine(Mrapids(tmp_path, {}, environment="production", may_choose_environment=True), rooms=agent.rooms)
    assert run(free, "listRepos", env="staging")["result"]["status"] == 200


def test_what_a_person_has_to_approve_is_named_with_the_agents_folder(agent: AgentEngine):
    data = run(agent, "createRepo")["error"]["data"]
    [approval] = agent.approvals("asked")
    assert data["approval_id"] == approval.id
    assert f"`knowgate approvals give {approval.id} --data {agent.settings.data}`" in data["fix"]

"""The trail and the approvals, over the network and with the SDK."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from knowgate import AsyncClient, Client
from knowgate.client import ForbiddenError

RULES = 'version: "1.0"\nrules:\n  - {name: careful, tools: [knowgate_delete_document], ask: true}\n'


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = Path(tmp_path_factory.mktemp("rules")) / "policy.yaml"
    path.write_text(RULES, encoding="utf-8")
    return {"policy": {"file": path}}


def test_who_asks_cannot_answer(holding):
    asker, boss = holding("admin", name="asker"), holding("admin", name="boss")
    deletion = {"filename": "refunds.md"}
    asked = asker.request("DELETE", "/api/v1/documents", json=deletion)
    assert (asked.status_code, asked.json()["code"]) == (403, "approval_needed")
    waiting = boss.get("/api/v1/approvals").json()["approvals"]
    assert asked.json()["approval_id"] == waiting[0]["id"]
    assert [(each["state"], each["asker"]) for each in waiting] == [("asked", "asker")]
    give = f"/api/v1/approvals/{waiting[0]['id']}/give"
    assert asker.post(give).json()["code"] == "not_the_approver"
    assert holding("read", "write").post(give).status_code == 403
    assert boss.post(give).json()["state"] == "given"
    assert boss.post(give).status_code == 409
    assert asker.request("DELETE", "/api/v1/documents", json=deletion).json()["success"]
    assert boss.post("/api/v1/approvals/nothing/clear").status_code == 404
    answered = [each["tool"] for each in boss.get("/api/v1/audit").json()["records"]]
    assert "knowgate_give_approval" in answered


def test_refused_with_a_reason(holding):
    asker, boss = holding("write", "read", name="asker 2"), holding("admin")
    deletion = {"filename": "guides/parcels.md"}
    asker.request("DELETE", "/api/v1/documents", json=deletion)
    id = next(each["id"] for each in boss.get("/api/v1/approvals").json()["approvals"] if each["asker"] == "asker 2")
    assert boss.post(f"/api/v1/approvals/{id}/refuse", json={"reason": "we need it"}).json()["state"] == "refused"
    told = asker.request("DELETE", "/api/v1/documents", json=deletion).json()
    assert (told["code"], "we need it" in told["error"]) == ("approval_refused", True)


def test_only_administrators_read_the_trail(holding):
    for path in ("/audit", "/audit/verify", "/audit/x", "/approvals"):
        refused = holding("read", "write", "apis").get(f"/api/v1{path}")
        assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


def test_the_trail(holding):
    boss, reader = holding("admin"), holding("read", name="one who searches")
    reader.post("/api/v1/search", json={"query": "noon"}, headers={"user-agent": "tests/1.0"})
    only = {"principal": "one who searches", "tool": "knowgate_s*"}
    record = boss.get("/api/v1/audit", params=only).json()["records"][0]
    assert (record["tool"], record["agent_id"]) == ("knowgate_search", "tests/1.0")
    shown = boss.get(f"/api/v1/audit/{record['id']}").json()
    assert shown["record"] == record
    assert shown["curl"].startswith("#")
    assert boss.get("/api/v1/audit/nothing").status_code == 404
    assert boss.get("/api/v1/audit/verify").json() == {"sound": True, "findings": []}
    first = boss.get("/api/v1/audit", params={"limit": 1}).json()
    second = boss.get("/api/v1/audit", params={"limit": 1, "cursor": first["cursor"]}).json()
    assert first["records"] != second["records"]


def test_the_sdk_tells_what_a_person_has_to_approve(holding, url):
    boss = holding("admin", name="boss 3")
    asker = Client(holding("write", "read", name="asker 3").headers["x-api-key"], base_url=url)
    with asker, pytest.raises(ForbiddenError) as refused:
        asker.documents.delete("refunds.md")
    id = refused.value.approval_id
    assert (refused.value.code, f"knowgate approvals give {id}" in refused.value.fix) == ("approval_needed", True)
    assert boss.post(f"/api/v1/approvals/{id}/refuse").json()["asker"] == "asker 3"


def test_with_the_sdk(holding, url):
    secret = holding("admin").headers["x-api-key"]
    with Client(secret, base_url=url) as client:
        records = client.audit.list(tool="knowgate_ingest", limit=5).records
        assert client.audit.get(records[0]["id"]).record == records[0]
        assert client.audit.verify().sound
        assert isinstance(client.approvals.list(all=True).approvals, list)

    async def ask() -> None:
        async with AsyncClient(secret, base_url=url) as other:
            assert (await other.audit.list(limit=1)).records
            assert (await other.audit.verify()).sound
            assert (await other.approvals.list()).approvals == []

    asyncio.run(ask())

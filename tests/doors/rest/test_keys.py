from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest


def test_the_first_key_is_made_by_whoever_sits_here(http):
    assert http.get("/api/v1/documents").status_code == 200
    made = http.post("/api/v1/keys", json={"name": "boss", "scopes": ["admin"]})
    assert made.status_code == 201
    told = made.json()
    assert re.fullmatch(r"orag_[A-Za-z0-9_-]{43}", told["api_key"])
    assert told["api_key"].startswith(told["key_prefix"])
    assert (told["name"], told["scopes"], told["expires_at"]) == ("boss", ["admin"], None)
    refused = http.get("/api/v1/documents")
    assert (refused.status_code, refused.json()["code"]) == (401, "key_required")
    assert http.post("/api/v1/keys", json={"name": "second"}).status_code == 401
    for headers in ({"x-api-key": told["api_key"]}, {"authorization": f"Bearer {told['api_key']}"}):
        assert http.get("/api/v1/documents", headers=headers).status_code == 200


def test_the_list_has_no_secret(holding):
    admin = holding("admin")
    made = admin.post("/api/v1/keys", json={"name": "of the list", "scopes": ["read"]}).json()
    listed = admin.get("/api/v1/keys")
    assert made["key_id"] in [key["key_id"] for key in listed.json()["keys"]]
    assert made["api_key"] not in listed.text
    assert not re.search(r"orag_[\w-]{10,}", listed.text)


def test_revoked(holding, http):
    admin = holding("admin")
    made = admin.post("/api/v1/keys", json={"name": "short-lived"}).json()
    mine = {"x-api-key": made["api_key"]}
    assert made["scopes"] == ["read", "write"]
    assert http.get("/api/v1/documents", headers=mine).status_code == 200
    assert admin.delete(f"/api/v1/keys/{made['key_id']}").json()["success"]
    refused = http.get("/api/v1/documents", headers=mine)
    assert (refused.status_code, refused.json()["code"]) == (401, "key_revoked")
    shown = next(key for key in admin.get("/api/v1/keys").json()["keys"] if key["key_id"] == made["key_id"])
    assert shown["revoked_at"]
    missing = admin.delete(f"/api/v1/keys/{made['api_key']}")
    assert (missing.status_code, missing.json()["code"]) == (404, "key_not_found")
    assert made["api_key"] not in missing.text


def test_expired(holding, http, monkeypatch):
    admin = holding("admin")
    until = datetime.now(UTC) + timedelta(hours=1)
    made = admin.post("/api/v1/keys", json={"name": "for an hour", "expires_at": until.isoformat()}).json()
    mine = {"x-api-key": made["api_key"]}
    assert made["expires_at"].startswith(until.isoformat()[:19])
    assert http.get("/api/v1/documents", headers=mine).status_code == 200
    with monkeypatch.context() as later:
        later.setattr("knowgate.guard.keys.time.time", lambda: until.timestamp())
        refused = http.get("/api/v1/documents", headers=mine)
    assert (refused.status_code, refused.json()["code"]) == (401, "key_expired")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_request"),
        ({"name": ""}, "bad_key_name"),
        ({"name": "x", "scopes": []}, "bad_scope"),
        ({"name": "x", "scopes": ["root"]}, "bad_request"),
        ({"name": "x", "expires_at": "yesterday"}, "bad_request"),
        ({"name": "x", "expires_at": "2020-01-01T00:00:00Z"}, "bad_expiry"),
        ({"name": "x", "expires_at": "2099-01-01T00:00:00"}, "bad_request"),
        ({"name": "x", "expires_at": "0001-01-01T00:00:00+14:00"}, "bad_expiry"),
        ({"name": "x", "expires_at": "9999-12-31T23:59:59-14:00"}, "bad_expiry"),
        ({"name": "x", "expires_at": 1e300}, "bad_request"),
    ],
)
def test_what_is_no_key(holding, body, code):
    refused = holding("admin").post("/api/v1/keys", json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, code)


def test_a_filter_that_is_not_there(holding):
    refused = holding("admin").post("/api/v1/keys", json={"name": "x", "filter_id": "nothing"})
    assert (refused.status_code, refused.json()["code"]) == (404, "filter_not_found")


def test_a_bound_key_sees_its_part(holding):
    admin = holding("admin")
    parcels = {"filters": {"data_sources": ["guides/*"]}}
    saved = admin.post("/api/v1/knowledge-filters", json={"name": "Depot", "queryData": parcels}).json()["id"]
    other = admin.post("/api/v1/knowledge-filters", json={"name": "Other", "queryData": {}}).json()["id"]
    bound = holding("admin", filter_id=saved)
    assert [each["filename"] for each in bound.get("/api/v1/documents").json()["documents"]] == ["guides/parcels.md"]
    for asked in ({"query": "money"}, {"query": "*"}, {"query": "*", "filters": {"data_sources": ["refunds.md"]}}):
        found = bound.post("/api/v1/search", json=asked).json()["results"]
        assert {each["filename"] for each in found} <= {"guides/parcels.md"}
    assert bound.get("/api/v1/documents/refunds.md").status_code == 404
    assert bound.delete("/api/v1/documents/refunds.md").status_code == 404
    assert bound.get(f"/api/v1/knowledge-filters/{other}").status_code == 404
    assert bound.post("/api/v1/search", json={"query": "*", "filter_id": other}).status_code == 404
    assert bound.get("/api/v1/stats").json()["documents"] == 1
    outside = bound.post("/api/v1/documents/ingest", json={"text": "x", "filename": "refunds.md"})
    assert (outside.status_code, outside.json()["code"]) == (403, "outside_filter")
    assert "money" not in bound.post("/api/v1/chat", json={"message": "When does the money go back?"}).text.lower()
    for method, path in (
        ("GET", "/api/v1/keys"),
        ("POST", "/api/v1/keys"),
        ("GET", "/metrics"),
        ("POST", "/api/v1/settings"),
        ("POST", "/api/v1/knowledge-filters"),
    ):
        refused = bound.request(method, path, json={"name": "x"} if "settings" not in path else {})
        assert (refused.status_code, refused.json()["code"]) == (403, "bound_key")

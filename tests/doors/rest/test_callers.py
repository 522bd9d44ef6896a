from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest

from knowgate.config.settings import Server

READ = [
    ("GET", "/api/v1/documents", None),
    ("GET", "/api/v1/documents/refunds.md", None),
    ("GET", "/api/v1/search?query=money", None),
    ("POST", "/api/v1/search", {"query": "money"}),
    ("POST", "/api/v1/chat", {"message": "money"}),
    ("GET", "/api/v1/chat", None),
    ("GET", "/api/v1/tasks", None),
    ("GET", "/api/v1/stats", None),
    ("GET", "/api/v1/settings", None),
    ("POST", "/api/v1/knowledge-filters/search", {}),
    ("GET", "/metrics", None),
]
WRITE = [
    ("POST", "/api/v1/documents/ingest", {"text": "x", "filename": "x.md"}),
    ("POST", "/api/v1/documents/upload", {"text": "x", "filename": "x.md"}),
    ("DELETE", "/api/v1/documents", {"filename": "refunds.md"}),
    ("DELETE", "/api/v1/documents/refunds.md", None),
    ("POST", "/api/v1/knowledge-filters", {"name": "x"}),
    ("PUT", "/api/v1/knowledge-filters/x", {}),
    ("DELETE", "/api/v1/knowledge-filters/x", None),
    ("POST", "/api/v1/tasks/x/cancel", None),
    ("POST", "/api/v1/tasks/x/retry", None),
]
ADMIN = [
    ("GET", "/api/v1/keys", None),
    ("POST", "/api/v1/keys", {"name": "x"}),
    ("DELETE", "/api/v1/keys/x", None),
    ("POST", "/api/v1/settings", {}),
]


@pytest.fixture(scope="module")
def chosen():
    # One caller's fourth message within the hour is too much, and so is his two hundredth request.
    return {"server": Server(rate="200/hour", chat_rate="3/hour", ingest_rate="3/hour")}


def _statuses(client, calls):
    return {f"{method} {path}": client.request(method, path, json=body).status_code for method, path, body in calls}


def test_a_key_to_read(holding):
    reader = holding("read")
    assert set(_statuses(reader, READ).values()) == {200}
    assert set(_statuses(reader, WRITE + ADMIN).values()) == {403}
    refused = reader.delete("/api/v1/documents/refunds.md").json()
    assert refused["code"] == "scope_missing"
    assert "write" in refused["error"]


def test_a_key_to_write_only(holding):
    writer = holding("write")
    assert set(_statuses(writer, READ + ADMIN).values()) == {403}


def test_a_key_to_read_and_write(holding):
    writer = holding("read", "write")
    assert set(_statuses(writer, ADMIN).values()) == {403}
    assert writer.post("/api/v1/documents/ingest", json={"text": "x", "filename": "x.md"}).status_code == 202


def test_chat_has_a_limit_of_its_own(holding):
    talker, other = holding("read"), holding("read")
    said = [talker.post("/api/v1/chat", json={"message": "money"}) for _ in range(4)]
    assert [answer.status_code for answer in said] == [200, 200, 200, 429]
    refused = said[-1]
    assert int(refused.headers["retry-after"]) > 0
    assert refused.json()["code"] == "rate_limited"
    assert refused.json()["request_id"] == refused.headers["x-request-id"]
    assert talker.post("/api/v1/search", json={"query": "money"}).status_code == 200
    assert other.post("/api/chat", json={"message": "money"}).status_code == 200


def test_ingesting_has_a_limit_of_its_own(holding):
    bringer = holding("write")
    paths = ["ingest", "upload", "ingest", "upload"]
    brought = [bringer.post(f"/api/v1/documents/{path}", json={"text": "x", "filename": "x.md"}) for path in paths]
    assert [answer.status_code for answer in brought] == [202, 202, 202, 429]


def test_calls_in_one_message_count_as_many(holding):
    batch = [{"jsonrpc": "2.0", "method": "health", "id": number} for number in range(50)]
    caller, batches = holding("read"), 0
    while (answer := caller.post("/rpc", json=batch)).status_code == 200 and all("result" in e for e in answer.json()):
        batches += 1
        # Four, and one call more every eighteen seconds, however slow we are.
        assert batches < 40
    assert "rate_limited" in answer.text


def test_who_may_not_write_is_told_before_he_sends(holding, url):
    where, key = urlsplit(url), holding("read").headers["x-api-key"]
    with socket.create_connection((where.hostname, where.port), timeout=600) as half:
        half.sendall(
            f"POST /api/v1/documents/ingest HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\n"
            "Content-Length: 1000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n".encode()
        )
        assert half.recv(1000).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": "orag_" + "x" * 43},
        {"x-api-key": "é".encode("latin-1")},
        {"authorization": "Bearer nonsense"},
        {"authorization": "Basic b3JhZw=="},
        {"authorization": "Bearer"},
        {},
    ],
)
def test_nobody_we_know(holding, http, headers):
    holding("read")
    refused = http.get("/api/v1/documents", headers=headers)
    assert refused.status_code == 401
    assert refused.json()["code"] in ("invalid_key", "key_required")
    assert refused.headers["www-authenticate"] == "Bearer"


def test_guessing_is_counted(holding, http):
    """Last, since it uses up what this address may ask for."""
    holder = holding("read")
    guesses = 0
    # One more is allowed every eighteen seconds, however slow we are.
    while (answer := http.get("/api/v1/documents", headers={"x-api-key": f"guess {guesses}"})).status_code == 401:
        guesses += 1
        assert guesses < 400
    assert guesses > 100
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert int(answer.headers["retry-after"]) > 0
    assert holder.get("/api/v1/documents").status_code == 200

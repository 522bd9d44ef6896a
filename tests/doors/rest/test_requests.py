from __future__ import annotations

import socket
import time
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.config.settings import Server
from knowgate.doors.rest.requests import is_local

MB = 1 << 20
PAGE = "https://tools.test"
EVIL = {"origin": "https://evil.test"}


@pytest.fixture(scope="module")
def chosen():
    return {"server": Server(max_mb=1, cors_origins=(f"{PAGE}/",))}


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:3000", "127.0.0.1:3000", "127.9.9.9", "[::1]:3000", "[::1]"])
def test_this_machine(host):
    assert is_local(host)


@pytest.mark.parametrize(
    "host", ["", "evil.test", "localhost.evil.test", "127.0.0.1.evil.test:80", "10.0.0.1", "0.0.0.0", "[::]", ":3000"]
)
def test_another_machine(host):
    assert not is_local(host)


@given(st.text())
def test_any_text_is_judged(host: str):
    assert is_local(host) in (True, False)


def test_request_ids(http):
    assert http.get("/health", headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    for odd in ("<script>", "a" * 129, "a b", ""):
        made = http.get("/health", headers={"x-request-id": odd}).headers["x-request-id"]
        assert made != odd
        assert made.isalnum()


@pytest.mark.parametrize("host", ["evil.test", "10.0.0.1:3000", "[", "localhost.evil.test"])
def test_a_page_whose_name_leads_here(http, host):
    for path in ("/api/v1/documents", "/health", "/", "/openapi.json"):
        refused = http.get(path, headers={"host": host})
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_host")
        assert refused.json()["request_id"] == refused.headers["x-request-id"]


@pytest.mark.parametrize("origin", ["https://evil.test", "null", "http://localhost:1", "http://127.0.0.1"])
def test_a_page_that_acts_for_the_local_user(http, engine, origin):
    before = [task.id for task in engine.tasks()]
    sent = {"files": {"file": ("x.md", b"x")}, "headers": {"origin": origin}}
    refused = http.post("/api/v1/documents/ingest", **sent)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_origin")
    assert [task.id for task in engine.tasks()] == before
    assert http.get("/api/v1/documents", headers={"origin": origin}).json()["code"] == "bad_origin"


def test_our_own_page(http, url):
    assert http.get("/api/v1/documents", headers={"origin": url}).status_code == 200


def test_a_page_that_was_let_in(http):
    asked = {"origin": PAGE, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}
    allowed = http.options("/api/v1/search", headers=asked)
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == PAGE
    assert "x-api-key" in allowed.headers["access-control-allow-headers"].lower()
    answer = http.get("/api/v1/documents", headers={"origin": PAGE})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "x-request-id" in answer.headers["access-control-expose-headers"].lower()
    missing = http.get("/api/v1/documents/nothing", headers={"origin": PAGE})
    assert (missing.status_code, missing.headers["access-control-allow-origin"]) == (404, PAGE)


def _pieces():
    for _ in range(4):
        yield b"x" * (MB // 2)


@pytest.mark.parametrize(("path", "type"), [("search", "application/json"), ("documents/ingest", "text/plain")])
def test_too_large(http, path, type):
    for content in (b"x" * (MB + 1), _pieces()):
        refused = http.post(f"/api/v1/{path}", content=content, headers={"content-type": type})
        assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")
        assert "server.max_mb" in refused.json()["fix"]
        assert refused.json()["request_id"] == refused.headers["x-request-id"]


@pytest.mark.parametrize("sized", [True, False])
def test_too_large_a_form(http, engine, sized):
    start = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.md"\r\n\r\n'

    def pieces():
        yield start
        yield from _pieces()

    before = [task.id for task in engine.tasks()]
    content = b"".join(pieces()) if sized else pieces()
    headers = {"content-type": "multipart/form-data; boundary=b"}
    refused = http.post("/api/v1/documents/ingest", content=content, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")
    assert [task.id for task in engine.tasks()] == before


@pytest.mark.parametrize("path", ["search", "documents/ingest"])
def test_a_client_that_leaves_in_the_middle(url, http, path):
    where = urlsplit(url)
    with socket.create_connection((where.hostname, where.port)) as half:
        half.sendall(
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
            "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n".encode()
        )
    while "knowgate_requests_running 1.0" not in (told := http.get("/metrics").text):
        time.sleep(0.01)
    assert 'status="500"' not in told


def test_with_a_key_it_does_not_matter_where_the_page_is_from(holding, http):
    """Last, since from now on a key is needed."""
    reader = holding("read", "write")
    assert reader.get("/api/v1/documents", headers=EVIL | {"host": "knowledge.test"}).status_code == 200
    sent = reader.post("/api/v1/documents/ingest", files={"file": ("x.md", b"x")}, headers=EVIL)
    assert sent.status_code == 202
    assert "access-control-allow-origin" not in sent.headers
    refused = http.get("/api/v1/documents", headers=EVIL | {"host": "["})
    assert (refused.status_code, refused.json()["code"]) == (401, "key_required")
    missing = reader.get("/nothing", headers={"host": "["})
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")

from __future__ import annotations

import threading
from collections.abc import Iterator

import httpx2
import pytest
import uvicorn

from knowgate import Engine
from knowgate.doors.rest import create_app
from knowgate.doors.serve import address, listen


@pytest.fixture
def http(engine: Engine, docs) -> Iterator[httpx2.Client]:
    """A client of a real server on the two documents."""
    engine.ingest([docs])
    server = uvicorn.Server(uvicorn.Config(create_app(engine), log_level="critical"))
    listener = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    url = address(listener)
    thread.start()
    with httpx2.Client(base_url=url, timeout=60) as client:
        yield client
    server.should_exit = True
    thread.join()
    listener.close()


def test_everything_it_answers(http, monkeypatch, engine):
    _health(http)
    _search(http)
    _documents(http)
    _page(http)
    _refusals(http)
    _in_words(http)
    _request_ids(http)
    _only_this_machine(http)
    _a_bug(http, monkeypatch, engine)


def _health(http):
    assert http.get("/health").json()["status"] == "ok"


def _search(http):
    asked = {"query": "when does the money come back", "limit": 1, "score_threshold": 0}
    found = http.post("/api/v1/search", json=asked).json()
    [hit] = found["results"]
    assert hit["filename"] == "refunds.md"
    assert hit["headings"] == ["Refunds"]
    assert hit["mimetype"] == "text/markdown"
    assert hit["text"][slice(*hit["highlights"][-1])].lower() in ("back", "money")
    assert 0 < hit["score"] <= 1
    assert (hit["page"], hit["source_url"]) == (None, None)
    got = http.get("/api/v1/search", params={"query": asked["query"], "limit": 1}).json()
    assert got == found
    first = http.get("/api/v1/search", params={"query": "*", "limit": 1}).json()
    second = http.get("/api/v1/search", params={"query": "*", "limit": 1, "cursor": first["cursor"]}).json()
    assert [hit["filename"] for hit in first["results"] + second["results"]] == ["guides/parcels.md", "refunds.md"]
    for filters, count in (
        ({"data_sources": ["refunds.md"]}, 1),
        ({"data_sources": ["*"], "document_types": ["*"], "owners": ["*"]}, 2),
        ({"data_sources": []}, 0),
        ({"document_types": ["application/pdf"]}, 0),
        ({"owners": ["local"]}, 2),
    ):
        answer = http.post("/api/v1/search", json={"query": "*", "filters": filters}).json()
        assert len(answer["results"]) == count, filters


def _documents(http):
    first = http.get("/api/v1/documents", params={"limit": 1}).json()
    second = http.get("/api/v1/documents", params={"limit": 1, "cursor": first["cursor"]}).json()
    names = [document["filename"] for document in (*first["documents"], *second["documents"])]
    assert names == ["guides/parcels.md", "refunds.md"]
    assert second["cursor"] == ""
    assert http.get("/api/v1/stats").json() == {"documents": 2, "passages": 2, "pending": 0}


def _page(http):
    page = http.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "innerHTML" not in page.text
    assert "http" not in page.text.replace("http://www.w3.org/2000/svg", "").replace("https", "http")


def _refusals(http):
    for method, path, more, status, code in (
        ("POST", "/api/v1/search", {"json": {"query": "  "}}, 400, "empty_query"),
        ("POST", "/api/v1/search", {"json": {"query": "x", "filter_id": "f"}}, 400, "bad_request"),
        ("POST", "/api/v1/search", {"json": {"query": "x", "limit": 0}}, 400, "bad_limit"),
        ("POST", "/api/v1/search", {"json": {"query": "x", "score_threshold": 2}}, 400, "bad_threshold"),
        ("POST", "/api/v1/search", {"json": {"query": "x", "mode": "psychic"}}, 400, "bad_request"),
        ("POST", "/api/v1/search", {"json": ["x"]}, 400, "bad_request"),
        ("POST", "/api/v1/search", {"content": b"{"}, 400, "bad_request"),
        ("GET", "/api/v1/search", {}, 400, "bad_request"),
        ("GET", "/api/v1/search", {"params": {"query": "x", "cursor": "x"}}, 400, "bad_cursor"),
        ("GET", "/api/v1/documents", {"params": {"cursor": "é"}}, 400, "bad_cursor"),
        ("GET", "/nothing", {}, 404, "not_found"),
        ("DELETE", "/health", {}, 405, "method_not_allowed"),
    ):
        answer = http.request(method, path, **more)
        body = answer.json()
        assert (answer.status_code, body["code"]) == (status, code)
        assert {"error", "code", "request_id"} <= set(body)
        assert answer.headers["x-request-id"] == body["request_id"]


def _in_words(http):
    json = {"content-type": "application/json"}
    search = "/api/v1/search"
    for method, path, more, error, fix in (
        ("GET", search, {}, "query is missing.", None),
        ("GET", search, {"params": {"query": "x", "limit": "many"}}, "limit must be a whole number.", None),
        ("GET", search, {"params": {"query": "x", "limti": "3"}}, "limti is unknown.", "Did you mean limit?"),
        ("GET", "/api/v1/documents", {"params": {"x": "3"}}, "x is unknown.", "There are query, limit, cursor."),
        ("POST", search, {"json": {"query": 7}}, "query must be a text.", None),
        ("POST", search, {"json": {"query": "x", "filters": {"owner": ["a"]}}}, "owner is unknown.", "owners?"),
        ("POST", search, {"content": b"{", "headers": json}, "The body is not valid JSON.", "Content-Type"),
        (
            "POST",
            search,
            {"data": {"query": "x"}},
            "The body is not a JSON object but application/x-www",
            "Content-Type",
        ),
        ("POST", search, {}, "The body is missing.", "Content-Type"),
    ):
        body = http.request(method, path, **more).json()
        assert body["error"].startswith(error)
        assert ("fix" in body) == (fix is not None)
        assert (fix or "") in body.get("fix", "")


def _request_ids(http):
    assert http.get("/health", headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert http.get("/health", headers={"x-request-id": "<script>"}).headers["x-request-id"] != "<script>"


def _only_this_machine(http):
    refused = http.get("/api/v1/documents", headers={"host": "evil.test"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_host")


def _a_bug(http, monkeypatch, engine):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret path")

    monkeypatch.setattr(engine, "documents", broken)
    answer = http.get("/api/v1/documents")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.text

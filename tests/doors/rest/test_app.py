from __future__ import annotations

from itertools import product

import pytest

from knowgate import Engine
from knowgate.errors import UnavailableError


def test_documents(http):
    first = http.get("/api/v1/documents", params={"limit": 1}).json()
    second = http.get("/api/v1/documents", params={"limit": 1, "cursor": first["cursor"]}).json()
    names = [document["filename"] for document in (*first["documents"], *second["documents"])]
    assert names == ["guides/parcels.md", "refunds.md"]
    assert second["cursor"] == ""
    assert http.get("/api/v1/stats").json() == {"documents": 2, "passages": 2, "pending": 0}


def test_the_page(http):
    page = http.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "innerHTML" not in page.text
    assert "http" not in page.text.replace("http://www.w3.org/2000/svg", "").replace("https", "http")


def test_refusals(http):
    for method, path, more, status, code in (
        ("POST", "/api/v1/search", {"json": {"query": "  "}}, 400, "empty_query"),
        ("POST", "/api/v1/search", {"json": {"query": "x", "filter_id": "f"}}, 404, "filter_not_found"),
        ("POST", "/api/v1/search", {"json": {"query": "x", "limit": 0}}, 400, "bad_request"),
        ("POST", "/api/v1/search", {"json": {"query": "x", "score_threshold": 2}}, 400, "bad_request"),
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


def test_a_store_that_may_come_back_is_no_failure_of_ours(http, engine, monkeypatch):
    def gone(*_):
        raise UnavailableError("store_unreachable", "OpenSearch cannot be reached.", "Is it running?")

    with monkeypatch.context() as broken:
        broken.setattr(engine.store, "stats", gone)
        answer = http.get("/api/v1/stats")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unreachable")
    assert int(answer.headers["retry-after"]) > 0
    assert "retry-after" not in http.get("/nothing").headers


def test_refusals_in_words(http):
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


def test_a_bug(http, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret path")

    monkeypatch.setattr(Engine, "documents", broken)
    answer = http.get("/api/v1/documents")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    assert answer.headers["connection"] == "close"
    assert http.get("/api/v1/stats").status_code == 200


@pytest.mark.parametrize("prefix", ["/v1", "/api"])
def test_the_same_under_other_names(http, prefix):
    for method, path in product(("GET", "POST"), ("/search", "/chat", "/documents", "/tasks", "/keys", "/settings")):
        sent = {"params": {"query": "money"}} if (method, path) == ("GET", "/search") else {}
        ours = http.request(method, f"/api/v1{path}", **sent)
        theirs = http.request(method, f"{prefix}{path}", **sent)
        assert (theirs.status_code, set(theirs.json())) == (ours.status_code, set(ours.json()))


def test_the_description(http):
    described = http.get("/openapi.json").json()
    assert {path.split("/")[1] for path in described["paths"]} == {"api", "health", "ready", "metrics"}
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert "422" not in operation["responses"]
            refusals = {status for status in operation["responses"] if status.startswith("4")}
            assert ("401" in refusals) == (path not in ("/health", "/ready"))
            if "{" in path and "models" not in path:
                assert "404" in refusals
    assert "404" not in described["paths"]["/api/v1/stats"]["get"]["responses"]
    assert "HTTPValidationError" not in described["components"]["schemas"]
    schemes = described["components"]["securitySchemes"].values()
    assert {scheme["type"] for scheme in schemes} == {"apiKey", "http"}

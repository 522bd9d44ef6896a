from __future__ import annotations

import pytest


def test_a_passage_with_its_place(http):
    asked = {"query": "when does the money come back", "limit": 1, "score_threshold": 0}
    found = http.post("/api/v1/search", json=asked).json()
    [hit] = found["results"]
    assert hit["filename"] == "refunds.md"
    assert hit["headings"] == ["Refunds"]
    assert hit["mimetype"] == "text/markdown"
    assert hit["text"][slice(*hit["highlights"][-1])].lower() in ("back", "money")
    assert 0 < hit["score"] <= 1
    assert (hit["page"], hit["source_url"]) == (None, None)
    assert http.get("/api/v1/search", params={"query": asked["query"], "limit": 1}).json() == found


def test_page_by_page(http):
    first = http.get("/api/v1/search", params={"query": "*", "limit": 1}).json()
    second = http.get("/api/v1/search", params={"query": "*", "limit": 1, "cursor": first["cursor"]}).json()
    assert [hit["filename"] for hit in first["results"] + second["results"]] == ["guides/parcels.md", "refunds.md"]


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"data_sources": ["refunds.md"]}, 1),
        ({"data_sources": ["*"], "document_types": ["*"], "owners": ["*"]}, 2),
        ({"data_sources": []}, 0),
        ({"document_types": ["application/pdf"]}, 0),
        ({"owners": ["local"]}, 2),
        ({"connector_types": ["url"]}, 0),
        (None, 2),
    ],
)
def test_filters(http, filters, count):
    assert len(http.post("/api/v1/search", json={"query": "*", "filters": filters}).json()["results"]) == count


def test_modes(http):
    for mode in ("hybrid", "keyword", "vector"):
        assert http.get("/api/v1/search", params={"query": "money back", "mode": mode}).json()["mode"] == mode


def test_no_setting_helps_against_a_fixed_limit(http):
    refused = http.post("/api/v1/search", json={"query": "x" * (1 << 20)})
    assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")
    assert "max_mb" not in refused.json()["fix"]

from __future__ import annotations

import json

import pytest

PATH = "/api/v1/knowledge-filters"
PARCELS = {"filters": {"data_sources": ["guides/parcels.md"]}, "limit": 3, "scoreThreshold": 0.1}


@pytest.mark.parametrize("sent", [PARCELS, json.dumps(PARCELS)], ids=["object", "string"])
def test_from_its_making_to_its_end(http, sent):
    made = http.post(PATH, json={"name": "Depot", "description": "for the depot", "queryData": sent})
    assert made.status_code == 201
    id = made.json()["id"]
    saved = made.json()["filter"]
    assert (saved["id"], saved["name"], saved["description"], saved["owner"]) == (id, "Depot", "for the depot", "local")
    told = json.loads(saved["query_data"])
    assert told["filters"] == {
        "data_sources": ["guides/parcels.md"],
        "document_types": ["*"],
        "owners": ["*"],
        "connector_types": ["*"],
    }
    assert (told["limit"], told["scoreThreshold"], told["color"], told["icon"]) == (3, 0.1, "zinc", "filter")
    assert http.get(f"{PATH}/{id}").json() == {"success": True, "filter": saved}
    assert [each["id"] for each in http.post(f"{PATH}/search", json={"query": "depot"}).json()["filters"]] == [id]
    assert http.post(f"{PATH}/search", json={"query": "zebra"}).json() == {"success": True, "filters": []}

    found = http.post("/api/v1/search", json={"query": "*", "filter_id": id}).json()["results"]
    assert {each["filename"] for each in found} == {"guides/parcels.md"}

    changed = http.put(f"{PATH}/{id}", json={"name": "All", "queryData": {"filters": {"data_sources": ["*"]}}}).json()
    assert (changed["filter"]["name"], changed["filter"]["description"]) == ("All", "for the depot")
    found = http.post("/v1/search", json={"query": "*", "filter_id": id}).json()["results"]
    assert {each["filename"] for each in found} == {"guides/parcels.md", "refunds.md"}
    # What is sent along is stronger, dimension by dimension.
    asked = {"query": "*", "filter_id": id, "filters": {"data_sources": ["refunds.md"]}}
    assert [each["filename"] for each in http.post("/api/search", json=asked).json()["results"]] == ["refunds.md"]

    assert http.delete(f"{PATH}/{id}").json()["success"]
    for method in ("GET", "PUT", "DELETE"):
        gone = http.request(method, f"{PATH}/{id}", json={} if method == "PUT" else None)
        assert (gone.status_code, gone.json()["code"]) == (404, "filter_not_found")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_request"),
        ({"name": " "}, "bad_filter_name"),
        ({"name": "x" * 101}, "bad_filter_name"),
        ({"name": "x", "queryData": "{"}, "bad_query_data"),
        ({"name": "x", "queryData": "[]"}, "bad_query_data"),
        ({"name": "x", "queryData": 7}, "bad_request"),
        ({"name": "x", "query_data": {}}, "bad_request"),
        ({"name": "x", "queryData": {"filters": {"owner": ["a"]}}}, "unknown_dimension"),
        ({"name": "x", "queryData": {"filters": {"owners": "a"}}}, "bad_query_data"),
        ({"name": "x", "queryData": {"filters": {"owners": ["a\0"]}}}, "bad_query_data"),
        ({"name": "x", "queryData": {"limit": 0}}, "bad_query_data"),
        ({"name": "x", "queryData": {"limit": 10**30}}, "bad_query_data"),
        ({"name": "x", "queryData": {"scoreThreshold": 2}}, "bad_query_data"),
    ],
)
def test_what_is_no_filter(http, body, code):
    refused = http.post(PATH, json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert http.post(f"{PATH}/search", json={}).json()["filters"] == []


@pytest.mark.parametrize("depth", [260, 1000])
def test_nested_without_end(http, depth):
    body = '{"name": "x", "queryData": ' + '{"a":' * depth + "1" + "}" * depth + "}"
    refused = http.post("/api/v1/knowledge-filters", content=body, headers={"content-type": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (400, "nested_too_deep")

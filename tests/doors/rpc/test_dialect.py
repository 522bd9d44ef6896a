"""The agent's own two examples, word for word, and the rest of its methods."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from tests.doors.rpc.conftest import REPO, Hub

from knowgate import Engine


def ask(http: httpx2.Client, method: str, params: object = None, path: str = "/") -> dict[str, Any]:
    response = http.post(path, json={"jsonrpc": "2.0", "method": method, "params": params or {}, "id": 1})
    assert response.status_code == 200
    return response.json()


def refusal(http: httpx2.Client, method: str, params: object = None) -> tuple[int, str]:
    error = ask(http, method, params)["error"]
    return error["code"], error["message"]


@pytest.mark.parametrize("path", ["/", "/rpc"])
def test_tool_discovery_as_published(http: httpx2.Client, path: str):
    told = http.post(path, content='{"jsonrpc": "2.0", "method": "tools/list", "params": {}, "id": 1}', headers=JSON)
    answer = told.json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 1)
    first = answer["result"]["operations"][0]
    published = {
        "operation_id": "listRepos",
        "method": "GET",
        "path": "/user/repos",
        "summary": "List repositories for authenticated user",
    }
    assert published.items() <= first.items()


def test_tool_execution_as_published(http: httpx2.Client):
    message = """{
      "jsonrpc": "2.0",
      "method": "tools/run",
      "params": {
        "operation_id": "getRepo",
        "parameters": {"owner": "anthropics", "repo": "anthropic-sdk-python"}
      },
      "id": 2
    }"""
    answer = http.post("/", content=message, headers=JSON).json()
    meta = answer["result"].pop("meta")
    assert answer == {
        "jsonrpc": "2.0",
        "result": {"status": 200, "data": {**REPO, "private_key": "[REDACTED:KEY]"}},
        "id": 2,
    }
    assert meta["operation_id"] == "getRepo"
    assert meta["method"] == "GET"
    assert meta["url"].endswith("/repos/anthropics/anthropic-sdk-python")
    assert meta["status_code"] == 200
    assert meta.keys() >= {"duration_ms", "request_id", "timestamp", "headers"}


JSON = {"Content-Type": "application/json"}


def test_one_answer_for_both_protocols(http: httpx2.Client):
    result = ask(http, "tools/list")["result"]
    assert result["total"] == len(result["operations"]) == len(result["tools"])
    tool = next(each for each in result["tools"] if each["name"] == "getRepo")
    assert tool["inputSchema"]["required"] == ["owner", "repo"]
    assert tool["annotations"]["readOnlyHint"] is True


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ({"method": "POST"}, ["createRepo"]),
        ({"tag": "repos"}, ["listRepos", "createRepo", "getRepo"]),
        ({"pattern": "*Repo"}, ["createRepo", "getRepo"]),
        ({"pattern": "/user/*", "method": "get"}, ["listRepos"]),
        ({"api": "other"}, []),
    ],
)
def test_filters(http: httpx2.Client, filter: dict[str, str], found: list[str]):
    result = ask(http, "tools/list", {"filter": filter})["result"]
    assert [each["operation_id"] for each in result["operations"]] == found


def test_what_the_policy_never_allows_is_not_listed_and_not_called(http: httpx2.Client):
    listed = ask(http, "tools/list")["result"]["operations"]
    assert "deleteRepo" not in [each["operation_id"] for each in listed]
    before = list(Hub.seen)
    code, _ = refusal(http, "tools/run", {"operation_id": "deleteRepo", "parameters": {"owner": "a", "repo": "b"}})
    assert code == 1001
    assert Hub.seen == before


def test_showing(http: httpx2.Client):
    shown = ask(http, "tools/show", {"operation_id": "getRepo"})["result"]
    assert shown["operation_id"] == "getRepo"
    assert set(shown["example"]) == {"owner", "repo"}
    assert shown["policy"] == "allow"


def test_health(http: httpx2.Client):
    assert ask(http, "health")["result"]["status"] == "ok"


def test_an_error_of_the_api_is_an_answer(http: httpx2.Client):
    failed = ask(http, "tools/run", {"operation_id": "break"})["result"]
    assert (failed["status"], failed["error"]["code"]) == (503, 4500)
    missing = ask(http, "tools/run", {"operation_id": "getRepo", "parameters": {"owner": "nobody", "repo": "x"}})[
        "result"
    ]
    assert (missing["status"], missing["error"]["code"]) == (404, 4400)


def test_a_long_answer_goes_on(http: httpx2.Client):
    first = ask(http, "tools/run", {"operation_id": "long"})["result"]
    assert len(first["data"]) < 900
    more = ask(http, "tools/more", {"cursor": first["meta"]["cursor"]})["result"]
    assert more["data"]


def test_the_drawing_s_own_word_for_it(http: httpx2.Client):
    assert ask(http, "tools/run", {"operation": "listRepos"})["result"]["status"] == 200


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/run", {"operation_id": "getRpo"}, 3004),
        ("tools/run", {"operation_id": "getRepo"}, 3001),
        ("tools/run", {"operation_id": "getRepo", "parameters": {"owner": "..", "repo": "x"}}, 3001),
        ("tools/run", {"operation_id": "createRepo"}, 1011),
        (
            "tools/run",
            {"operation_id": "getRepo", "auth_profile": "theirs", "parameters": {"owner": "a", "repo": "b"}},
            2004,
        ),
        ("tools/run", {"operation_id": "listRepos", "env": "staging"}, 1013),
        ("tools/list", {"spec_path": "/etc/passwd"}, 3003),
        ("tools/run", {}, -32602),
        ("tools/run", {"operation_id": 3}, -32602),
        ("tools/run", {"operation_idd": "getRepo"}, -32602),
        ("tools/ran", {}, -32601),
    ],
)
def test_refusals_have_the_agent_s_numbers(http: httpx2.Client, method: str, params: dict[str, Any], code: int):
    assert refusal(http, method, params)[0] == code


def test_who_may_call(http: httpx2.Client, engine: Engine):
    message = {"jsonrpc": "2.0", "method": "tools/list", "id": 1}
    assert http.post("/", json=message, headers={"Host": "evil.example"}).status_code == 400
    assert http.post("/", json=message, headers={"Origin": "https://evil.example"}).status_code == 400
    assert http.post("/", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    key, secret = engine.create_key("reader", ["read"])
    try:
        assert http.post("/", json=message).status_code == 401
        told = http.post("/", json=message, headers={"X-API-Key": secret}).json()
        assert told["error"]["data"]["code"] == "scope_missing"
    finally:
        engine.revoke_key(key.id)

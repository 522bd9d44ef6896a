"""Arguments, grouped or flat, find their places; what is not declared is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.apis.samples import BASE, built, operation, parameter, refusal

from knowgate.apis.arguments import slots
from knowgate.apis.operation import Body

PET = {"type": "object", "properties": {"name": {"type": "string"}, "query": {"type": "string"}}}
ONE = operation(
    parameter("id", "path"),
    parameter("limit", schema={"type": "integer"}),
    parameter("X-Trace", "header"),
    path="/pets/{id}",
    method="PUT",
    bodies=(Body("application/json", PET),),
)


@pytest.mark.parametrize(
    "arguments",
    [
        {"id": 1, "limit": 2, "X-Trace": "t", "body": {"name": "Rex"}},
        {"id": 1, "limit": 2, "x-trace": "t", "name": "Rex"},
        {"path": {"id": 1}, "query": {"limit": 2}, "header": {"X-Trace": "t"}, "body": {"name": "Rex"}},
        {"path": {"id": 1}, "query": {"limit": 2}, "headers": {"x-trace": "t"}, "name": "Rex"},
        {"parameters": {"id": 1, "limit": 2, "X-Trace": "t"}, "body": {"name": "Rex"}},
        {"id": 1, "limit": 2, "X-Trace": "t", "body": '{"name": "Rex"}'},
    ],
)
def test_all_forms_give_the_same_request(arguments: dict[str, Any]) -> None:
    request = built(ONE, arguments)
    assert request.url == f"{BASE}/pets/1?limit=2"
    assert request.headers[1] == ("X-Trace", "t")
    assert request.body == b'{"name":"Rex"}'


def test_a_field_named_like_a_group_is_still_a_field() -> None:
    assert built(ONE, {"id": 1, "query": "{ pets }"}).body == b'{"query":"{ pets }"}'


def test_null_is_not_given() -> None:
    assert built(ONE, {"id": 1, "limit": None, "X-Trace": None}).url == f"{BASE}/pets/1"
    assert refusal(ONE, {"id": None}).code == "missing_argument"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"id": 1, "limmit": 2}, "Did you mean limit?"),
        ({"id": 1, "nam": "Rex"}, "Did you mean name?"),
        ({"id": 1, "query": {"limit": 1, "zzz": 2}, "body": {}}, ""),
        ({"id": 1, "zzz": 2}, "It takes id, limit, X-Trace"),
        ({"id": 1, "header": {"X-Zzz": "1"}}, ""),
    ],
)
def test_undeclared_arguments_are_refused(arguments: dict[str, Any], hint: str) -> None:
    error = refusal(ONE, arguments)
    assert error.code in ("unknown_argument", "bad_arguments")
    assert hint in error.fix


def test_two_of_the_same_name_are_told_apart_by_place() -> None:
    both = operation(parameter("id", "path"), parameter("id"), path="/pets/{id}")
    assert list(slots(both)) == ["path.id", "query.id"]
    expected = f"{BASE}/pets/1?id=2"
    assert built(both, {"path.id": 1, "query.id": 2}).url == expected
    assert built(both, {"path": {"id": 1}, "query": {"id": 2}}).url == expected
    assert "path.id or query.id" in refusal(both, {"id": 1}).fix


def test_given_twice_is_refused() -> None:
    assert refusal(ONE, {"id": 1, "path": {"id": 2}}).code == "bad_arguments"
    assert refusal(ONE, {"id": 1, "name": "a", "body": {"name": "b"}}).code == "bad_arguments"


def test_no_body_where_none_is_declared() -> None:
    assert refusal(operation(), {"body": {"a": 1}}).code == "unknown_argument"

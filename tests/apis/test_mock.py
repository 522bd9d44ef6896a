"""A made-up API remembers what it was given, and is believable about the rest."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.mock import Mock
from knowgate.apis.spec.load import load

PET = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "examples": [7]},
        "name": {"type": "string", "examples": ["Rex"]},
        "secret": {"type": "string", "writeOnly": True},
    },
}


def answer(schema: object, status: str = "200") -> dict[str, Any]:
    return {"responses": {status: {"description": "", "content": {"application/json": {"schema": schema}}}}}


SPEC: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example/v1"}],
    "paths": {
        "/pets": {
            "get": answer({"type": "object", "properties": {"pets": {"type": "array", "items": PET}}}),
            "post": answer(PET, "201"),
        },
        "/pets/mine": {"get": answer(PET)},
        "/pets/{petId}": {
            "get": answer(PET),
            "patch": answer(PET),
            "delete": {"responses": {"204": {"description": "gone"}}},
        },
        "/users/{name}": {"get": answer({"type": "object", "properties": {"name": {"type": "string"}}})},
        "/text": {"get": {"responses": {"default": {"description": "", "content": {"text/plain": {}}}}}},
    },
}


@pytest.fixture
def mock() -> Mock:
    return Mock(load(orjson.dumps(SPEC), name="pets", source="pets.json").operations)


def told(mock: Mock, method: str, path: str, body: object = None) -> tuple[int, Any]:
    made = mock.answer(method, path, orjson.dumps(body) if body is not None else b"")
    return made.status, orjson.loads(made.body) if made.body else None


def test_examples_come_first(mock: Mock):
    assert told(mock, "GET", "/v1/pets") == (200, {"pets": [{"id": 7, "name": "Rex"}]})


def test_what_is_asked_for_by_name_has_that_name(mock: Mock):
    assert told(mock, "GET", "/pets/42") == (200, {"id": 42, "name": "Rex"})
    assert told(mock, "GET", "/users/ann%20b") == (200, {"name": "ann b"})
    assert told(mock, "GET", "/pets/mine") == (200, {"id": 7, "name": "Rex"})


def test_a_life(mock: Mock):
    status, made = told(mock, "POST", "/v1/pets", {"name": "Bo"})
    assert (status, made["name"]) == (201, "Bo")
    place = f"/v1/pets/{made['id']}"
    assert told(mock, "GET", place) == (200, made)
    assert told(mock, "GET", "/v1/pets")[1]["pets"] == [{"id": 7, "name": "Rex"}, made]
    assert told(mock, "PATCH", place, {"name": "Bob", "id": 1}) == (200, {**made, "name": "Bob"})
    assert told(mock, "GET", place)[1]["name"] == "Bob"
    assert told(mock, "DELETE", place) == (204, None)
    assert told(mock, "GET", place)[0] == 404


def test_its_own_id_is_kept(mock: Mock):
    told(mock, "POST", "/pets", {"id": 5, "name": "Bo"})
    assert told(mock, "GET", "/pets/5")[1]["name"] == "Bo"


def test_what_is_not_there(mock: Mock):
    assert told(mock, "GET", "/nothing")[0] == 404
    assert told(mock, "PUT", "/v1/pets")[0] == 405


def test_an_answer_that_is_no_json(mock: Mock):
    made = mock.answer("GET", "/text")
    assert (made.status, made.content_type) == (200, "text/plain")


@given(st.sampled_from(["GET", "POST", "DELETE", "X"]), st.text(), st.binary())
def test_nothing_that_is_sent_breaks_it(method: str, path: str, body: bytes):
    mock = Mock(load(orjson.dumps(SPEC), name="pets", source="pets.json").operations)
    assert mock.answer(method, f"/v1/pets/{path}", body).status < 500
    assert mock.answer(method, "/v1/pets", body).status < 500

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from knowgate.apis.catalogue import Catalogue
from knowgate.apis.compiled import compile_api
from knowgate.apis.differences import Change, Differences, diff

BASE: dict[str, Any] = {
    "operationId": "go",
    "parameters": [{"name": "q", "in": "query", "schema": {"type": "string", "enum": ["a", "b"]}}],
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/In"}}}},
    "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Out"}}}}},
}
SCHEMAS: dict[str, Any] = {
    "In": {
        "type": "object",
        "properties": {"n": {"type": "integer", "maximum": 9}, "in": {"$ref": "#/components/schemas/In"}},
    },
    "Out": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "list": {"items": {"$ref": "#/components/schemas/Out"}}},
        "required": ["a"],
    },
}


def catalogue(folder: Path, paths: dict[str, Any], schemas: dict[str, Any]) -> Catalogue:
    data = orjson.dumps({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}})
    return Catalogue([compile_api(data, name="shop", source="api.json", folder=folder)])


@pytest.fixture
def compare(tmp_path: Path) -> Any:
    def one(operation: dict[str, Any] | None = None, schemas: dict[str, Any] | None = None) -> Differences:
        old = catalogue(tmp_path, {"/x": {"post": BASE}}, SCHEMAS)
        new = catalogue(tmp_path, {"/x": {"post": BASE | (operation or {})}}, SCHEMAS | (schemas or {}))
        return diff(old, new)

    return one


def test_the_same_is_no_difference(compare: Any) -> None:
    assert compare() == Differences()


def test_operations_come_and_go(tmp_path: Path) -> None:
    old = catalogue(tmp_path, {"/a": {"get": {}}, "/b": {"get": {}}}, {})
    new = catalogue(tmp_path, {"/b": {"get": {}}, "/c": {"get": {}}}, {})
    assert diff(old, new) == Differences(added=("get_c",), removed=("get_a",))


def query(**changes: Any) -> dict[str, Any]:
    return {"parameters": [BASE["parameters"][0] | changes]}


def taking(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"In": SCHEMAS["In"] | {"properties": SCHEMAS["In"]["properties"] | properties} | more}


@pytest.mark.parametrize(
    ("operation", "schemas", "reason"),
    [
        ({"parameters": []}, {}, "the query parameter q is gone"),
        (query(required=True), {}, "the query parameter q is required now"),
        (query(explode=False), {}, "the query parameter q is written otherwise"),
        (query(schema={"type": "string", "enum": ["a"]}), {}, "q takes fewer values"),
        (query(schema={"type": "integer"}), {}, "q is no longer string"),
        (
            {"parameters": [*BASE["parameters"], {"name": "r", "in": "header", "required": True}]},
            {},
            "the header parameter r is new and required",
        ),
        ({"requestBody": BASE["requestBody"] | {"required": True}}, {}, "the body is required now"),
        ({"requestBody": {"content": {"text/plain": {}}}}, {}, "the body is no longer taken as application/json"),
        ({}, taking({"n": {"type": "integer", "maximum": 8}}), "body.n has another maximum"),
        ({}, taking({}, required=["n"]), "body.n is required now"),
        ({}, {"In": {"type": "object", "additionalProperties": False}}, "body.in is gone"),
        ({"security": [{"key": []}]}, {}, "other credentials are needed"),
        ({"responses": {}}, {}, "the answer 200 is gone"),
        ({}, {"Out": SCHEMAS["Out"] | {"required": []}}, "answer 200.a may be missing"),
        (
            {},
            {"Out": SCHEMAS["Out"] | {"properties": {"a": {"type": ["string", "null"]}}}},
            "answer 200.a may be of another type",
        ),
        ({}, {"Out": {"type": "object"}}, "answer 200.a is gone"),
    ],
)
def test_what_breaks_callers_is_told(
    compare: Any, operation: dict[str, Any], schemas: dict[str, Any], reason: str
) -> None:
    found = compare(operation, schemas)
    assert found.changed == ()
    [change] = found.breaking
    assert change.id == "go"
    assert reason in change.reasons


@pytest.mark.parametrize(
    ("operation", "schemas", "reasons"),
    [
        ({"summary": "New"}, {}, ("summary",)),
        (query(schema={"type": "string", "enum": ["a", "b", "c"]}), {}, ("parameters",)),
        (query(schema={"type": ["string", "integer"]}), {}, ("parameters",)),
        ({"parameters": [*BASE["parameters"], {"name": "r", "in": "header"}]}, {}, ("parameters",)),
        ({}, taking({"n": {"type": "number", "maximum": 10}}), ("schemas",)),
        ({}, {"Out": SCHEMAS["Out"] | {"properties": SCHEMAS["Out"]["properties"] | {"b": {}}}}, ("schemas",)),
    ],
)
def test_other_changes_do_not(
    compare: Any, operation: dict[str, Any], schemas: dict[str, Any], reasons: tuple[str]
) -> None:
    assert compare(operation, schemas) == Differences(changed=(Change("go", reasons),))

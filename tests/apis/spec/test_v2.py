from __future__ import annotations

from typing import Any

import pytest

from knowgate.apis.operation import Part


def one(load_spec: Any, operation: dict[str, Any], path: str = "/x", **more: Any) -> Any:
    api = load_spec({path: {"post": operation}}, version="2.0", **more)
    assert not api.quarantined, api.quarantined
    return api.operations[0]


@pytest.mark.parametrize(
    ("place", "form", "style", "explode"),
    [
        ("query", None, "form", False),
        ("query", "csv", "form", False),
        ("query", "ssv", "spaceDelimited", False),
        ("query", "pipes", "pipeDelimited", False),
        ("query", "multi", "form", True),
        ("header", "csv", "simple", False),
        ("path", "csv", "simple", False),
    ],
)
def test_collection_formats_are_styles(load_spec: Any, place: str, form: str | None, style: str, explode: bool) -> None:
    told = {"name": "p", "in": place, "type": "array", "items": {"type": "string"}, "required": True}
    told |= {} if form is None else {"collectionFormat": form}
    [parameter] = one(load_spec, {"parameters": [told]}, "/x/{p}" if place == "path" else "/x").parameters
    assert (parameter.style, parameter.explode) == (style, explode)
    assert parameter.schema == {"type": "array", "items": {"type": "string"}}


def test_tabs_cannot_be_sent(load_spec: Any) -> None:
    told = {"name": "p", "in": "query", "type": "array", "collectionFormat": "tsv"}
    api = load_spec({"/x": {"get": {"parameters": [told]}}}, version="2.0")
    assert "tabs" in api.quarantined[0].reason


def test_a_body_is_taken_as_what_is_consumed(load_spec: Any) -> None:
    body = {"name": "pet", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Pet"}}
    definitions = {"Pet": {"type": "object", "x-nullable": True}}
    own = one(load_spec, {"parameters": [body], "consumes": ["text/xml", "application/json"]}, definitions=definitions)
    usual = one(load_spec, {"parameters": [body]}, definitions=definitions)
    assert [each.content_type for each in own.bodies] == ["text/xml", "application/json"]
    assert [each.content_type for each in usual.bodies] == ["application/json"]
    assert own.body_required
    assert own.bodies[0].schema == {"$ref": "#/$defs/Pet"}
    assert own.defs == {"Pet": {"type": ["object", "null"]}}


def test_form_fields_become_one_object(load_spec: Any) -> None:
    fields = [
        {"name": "a", "in": "formData", "type": "integer", "required": True, "description": "How many"},
        {"name": "b", "in": "formData", "type": "array", "items": {"type": "string"}, "collectionFormat": "multi"},
    ]
    operation = one(load_spec, {"parameters": fields})
    [body] = operation.bodies
    assert body.content_type == "application/x-www-form-urlencoded"
    assert body.schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "How many"},
            "b": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["a"],
    }
    assert body.parts == {"b": Part(style="form", explode=True)}
    assert operation.body_required


def test_a_file_makes_it_multipart(load_spec: Any) -> None:
    fields = [{"name": "f", "in": "formData", "type": "file"}]
    [body] = one(load_spec, {"parameters": fields, "consumes": ["application/x-www-form-urlencoded"]}).bodies
    assert body.content_type == "multipart/form-data"
    assert body.schema["properties"]["f"] == {"format": "binary", "type": "string"}


@pytest.mark.parametrize(
    ("told", "urls"),
    [
        (
            {"host": "a.example", "basePath": "/v1/", "schemes": ["http", "https"]},
            ["https://a.example/v1", "http://a.example/v1"],
        ),
        ({"host": "a.example", "schemes": ["wss"]}, ["https://a.example"]),
        ({"basePath": "/v1"}, ["/v1"]),
        ({}, ["/"]),
    ],
)
def test_host_and_base_path_are_servers(load_spec: Any, told: dict[str, Any], urls: list[str]) -> None:
    assert [each.url for each in one(load_spec, {}, **told).servers] == urls


def test_an_operation_may_want_one_scheme(load_spec: Any) -> None:
    told = {"host": "a.example", "schemes": ["http", "https"], "source": "http://a.example/api.json"}
    assert [each.url for each in one(load_spec, {"schemes": ["http"]}, **told).servers] == ["http://a.example"]


def test_answers_come_as_what_is_produced(load_spec: Any) -> None:
    operation = one(
        load_spec,
        {"responses": {"200": {"description": "ok", "schema": {"type": "string"}}, "204": {}}},
        produces=["text/csv"],
    )
    assert [each.content for each in operation.answers] == [{"text/csv": {"type": "string"}}, {}]

"""Arguments for an operation, ready to build."""

from __future__ import annotations

from typing import Any

import pytest
from tests.apis.samples import built, operation, parameter

from knowgate.apis.examples import sample_arguments
from knowgate.apis.operation import Body, SecurityScheme


def test_required_arguments_and_a_body() -> None:
    schema = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
    one = operation(
        parameter("id", "path", {"type": "integer"}, example=42),
        parameter("limit", schema={"type": "integer"}),
        path="/pets/{id}",
        method="PUT",
        bodies=(Body("application/json", schema, example={"name": "Rex"}),),
    )
    arguments = sample_arguments(one)
    assert arguments == {"id": 42, "body": {"name": "Rex"}}
    assert built(one, arguments).body == b'{"name":"Rex"}'


def test_examples_that_their_own_schema_refuses_are_not_used() -> None:
    one = operation(parameter("id", "path", {"type": "string", "maxLength": 3}, example="too long"), path="/x/{id}")
    assert sample_arguments(one) == {"id": "exa"}


def test_one_of_several_alternatives_is_found() -> None:
    alternatives = [{"required": ["a"], "properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]
    one = operation(method="POST", bodies=(Body("application/json", {"type": "object", "oneOf": alternatives}),))
    assert built(one, sample_arguments(one)).body == b'{"b":2}'


def test_files_are_files_and_credentials_are_left_out() -> None:
    schema = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
    key = parameter("key", required=True)
    one = operation(key, method="POST", bodies=(Body("multipart/form-data", schema),))
    arguments = sample_arguments(one, [SecurityScheme("key", "apiKey", "query", "key")])
    assert arguments == {"body": {"file": {"filename": "example.txt", "content_type": "text/plain", "text": "example"}}}
    assert b'filename="example.txt"' in (built(one, {**arguments, "key": "k"}).body or b"")


def test_fields_that_only_answers_should_have_are_a_last_resort() -> None:
    parts = [{"properties": {"id": {"const": "x", "readOnly": True}}}, {"required": ["id"]}]
    one = operation(method="POST", bodies=(Body("application/json", {"type": "object", "allOf": parts}),))
    assert sample_arguments(one) == {"body": {"id": "x"}}


def test_what_only_answers_hold_is_dropped_from_examples() -> None:
    number = {"type": "integer", "readOnly": True}
    line = {"allOf": [{"properties": {"no": number}}, {"properties": {"sku": {"type": "string"}}}]}
    schema = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": number, "name": {"type": "string"}, "lines": {"type": "array", "items": line}},
    }
    example = {"id": 7, "name": "Rex", "lines": [{"no": 1, "sku": "a"}, {"no": 2, "sku": "b"}]}
    for body in (
        Body("application/json", schema, example=example),
        Body("application/json", {**schema, "examples": [example]}),
    ):
        arguments = sample_arguments(operation(method="POST", bodies=(body,)))
        assert arguments == {"body": {"name": "Rex", "lines": [{"sku": "a"}, {"sku": "b"}]}}


def test_what_one_part_asks_for_is_kept_though_another_calls_it_read_only() -> None:
    reference = {"allOf": [{"properties": {"id": {"type": "string", "readOnly": True}}}, {"required": ["id"]}]}
    schema = {"type": "object", "properties": {"service": reference}}
    body = Body("application/json", schema, example={"service": {"id": "S1"}})
    assert sample_arguments(operation(method="POST", bodies=(body,))) == {"body": {"service": {"id": "S1"}}}


def test_alternatives_that_differ_only_deep_inside_are_told_apart() -> None:
    def kind(name: str) -> dict[str, Any]:
        inner = {"type": "object", "properties": {"kind": {"const": name}}}
        return {"type": "object", "properties": {"config": {"type": "object", "properties": {"of": inner}}}}

    one = operation(method="POST", bodies=(Body("application/json", {"oneOf": [kind("a"), kind("b")]}),))
    assert sample_arguments(one) == {"body": {"config": {"of": {"kind": "a"}}}}


@pytest.mark.parametrize("schema", [True, {"type": "string", "format": "binary"}])
def test_an_upload_whose_fields_are_not_described_can_be_built(schema: Any) -> None:
    one = operation(method="POST", bodies=(Body("multipart/form-data", schema),))
    assert b'name="file"' in (built(one, sample_arguments(one)).body or b"")


def test_a_form_without_a_schema_is_empty() -> None:
    one = operation(method="POST", bodies=(Body("application/x-www-form-urlencoded", True),))
    assert built(one, sample_arguments(one)).body == b""


def test_a_list_has_a_member_even_where_little_is_wanted() -> None:
    many = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "string", "pattern": "/^"}}}}
    assert sample_arguments(operation(parameter("many", schema=many, required=True))) == {"many": [{}]}


def test_a_key_that_must_not_be_used_twice_is_a_new_one_each_time() -> None:
    key = parameter("Idempotency-Key", "header", {"type": "string", "minLength": 8}, required=True, example="told-key")
    one = operation(key, method="POST")
    assert sample_arguments(one) != sample_arguments(one)
    assert built(one, sample_arguments(one))

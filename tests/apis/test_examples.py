"""Arguments for an operation, ready to build."""

from __future__ import annotations

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

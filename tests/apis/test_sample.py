"""Examples are valid, always the same, and have an end."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.sample import Taste, sample

NODE = {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "n": {"type": "integer"}}}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": 7}, 7),
        ({"enum": [None, "b", "a"]}, "b"),
        ({"type": "string", "example": "Rex", "default": "x"}, "Rex"),
        ({"type": "string", "examples": [1, "Rex"]}, "Rex"),
        ({"type": "integer", "default": 20}, 20),
        ({"type": "integer", "example": "no number"}, 1),
        ({"type": ["null", "boolean"]}, True),
        ({"type": "null"}, None),
        ({"type": "string", "format": "date"}, "2025-01-15"),
        ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, 1),
        (
            {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"const": 2}}}]},
            {"a": 1, "b": 2},
        ),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"key1": 1}),
    ],
)
def test_samples(schema: Any, expected: Any) -> None:
    assert sample(schema, {}) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 10, "maximum": 12, "multipleOf": 4},
        {"type": "integer", "exclusiveMaximum": -5},
        {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
        {"type": "number", "maximum": 0.5},
        {"type": "string", "minLength": 30, "maxLength": 31},
        {"type": "string", "maxLength": 2},
        {"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "string"}},
        {"type": "array", "minItems": 2, "uniqueItems": True, "items": {"enum": ["a", "b", "c"]}},
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "items": False},
        {"type": "object", "minProperties": 2, "additionalProperties": {"type": "boolean"}},
        {"type": "object", "required": ["a", "z"], "properties": {"a": {"type": "string"}}},
        {"type": "string", "pattern": r"^arn:aws[\w-]*:iam::\d{12}:role/[\w+=,.@-]{1,64}$"},
        {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        {"type": "string", "pattern": r"^(?!_)[^\s\\/]{3,}\.(?:json|ya?ml)$"},
        {"type": "string", "pattern": r"^\p{Lu}\p{L}*$", "minLength": 5},
        {"type": "string", "pattern": "[a-z]+", "minLength": 40},
        {"type": "string", "pattern": r"^\/[^?#]*$"},
        {"type": "string", "format": "date-time", "pattern": "Z$"},
    ],
)
def test_samples_are_valid(schema: Any) -> None:
    found = sample(schema, {})
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(found), found
    assert sample(schema, {}) == found


@given(st.integers(-50, 50), st.integers(0, 50), st.sampled_from([None, 1, 2, 3]))
def test_integers_keep_their_limits(low: int, span: int, step: int | None) -> None:
    schema: dict[str, Any] = {"type": "integer", "minimum": low, "maximum": low + span + 3}
    if step:
        schema["multipleOf"] = step
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(sample(schema, {}))


def test_cycles_end() -> None:
    assert sample({"$ref": "#/$defs/Node"}, NODE) == {"next": {"next": {}, "n": 1}, "n": 1}
    endless = {"E": {"type": "object", "required": ["e"], "properties": {"e": {"$ref": "#/$defs/E"}}}}
    assert sample({"$ref": "#/$defs/E"}, endless) is None
    loop: dict[str, Any] = {"A": {"$ref": "#/$defs/B"}, "B": {"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}}
    assert sample({"$ref": "#/$defs/A"}, loop) == "example"


def test_each_side_has_its_fields() -> None:
    schema = {"properties": {"id": {"readOnly": True, "const": 1}, "password": {"writeOnly": True, "const": "x"}}}
    assert sample(schema, {}) == {"password": "x"}
    assert sample(schema, {}, Taste(side="answer")) == {"id": 1}

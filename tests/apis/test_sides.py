"""What belongs into answers only."""

from __future__ import annotations

from typing import Any

import pytest

from knowgate.apis.sides import for_request, is_marked, without_read_only

ID = {"type": "string", "readOnly": True}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (ID, True),
        ({"$ref": "#/$defs/Id"}, True),
        ({"allOf": [{"description": "x"}, {"$ref": "#/$defs/Id"}]}, True),
        ({"anyOf": [{"$ref": "#/$defs/Id"}, {"type": "null"}]}, True),
        ({"anyOf": [{"$ref": "#/$defs/Id"}, {"type": "integer"}]}, False),
        ({"type": "string", "readOnly": False}, False),
        (True, False),
    ],
)
def test_marks(schema: Any, expected: bool) -> None:
    assert is_marked(schema, {"Id": ID}, "readOnly") is expected


def test_answers_only_is_not_required_of_requests() -> None:
    schema = {"properties": {"id": ID, "name": True}, "required": ["id", "name"], "examples": [{"required": ["id"]}]}
    assert for_request(schema, {}) == {**schema, "required": ["name"]}
    base = {"allOf": [{"$ref": "#/$defs/Base"}], "required": ["id"]}
    assert for_request(base, {"Base": {"properties": {"id": ID}}})["required"] == []


def test_values_lose_it_wherever_it_stands() -> None:
    schema = {
        "properties": {"list": {"items": {"properties": {"id": ID}}}},
        "additionalProperties": {"oneOf": [{"properties": {"id": ID}}, {"properties": {"n": True}}]},
    }
    value = {"list": [{"id": "a", "n": 1}], "x": {"id": "b", "n": 2}, "y": "z"}
    assert without_read_only(value, schema, {}) == {"list": [{"n": 1}], "x": {"n": 2}, "y": "z"}

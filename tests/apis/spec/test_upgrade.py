from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.spec.references import Spot
from knowgate.apis.spec.upgrade import Upgrader


def upgraded(schema: object) -> Any:
    return Upgrader(lambda spot: "#/$defs/X", lambda place, what: None, siblings=True).upgrade(Spot(schema))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"nullable": True, "allOf": [True]}, {"anyOf": [{"allOf": [True]}, {"type": "null"}]}),
        ({"nullable": True, "description": "x"}, {"description": "x"}),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMinimum": 3}, {"exclusiveMinimum": 3}),
        ({"example": {"a": 1}}, {"examples": [{"a": 1}]}),
        ({"type": "file"}, {"format": "binary", "type": "string"}),
        ({"pattern": "/^[a-z]+$/i"}, {"pattern": "(?i)^[a-z]+$"}),
        ({"pattern": "/^[a-z]+$/"}, {"pattern": "^[a-z]+$"}),
        ({"pattern": "/a/b$"}, {"pattern": "/a/b$"}),
        ({"xml": {"name": "a", "attribute": True, "wrapped": False}}, {"xml": {"name": "a", "attribute": True}}),
        ({"xml": {"name": 3}}, {}),
        ({"type": "Int"}, {"type": "integer"}),
        ({"type": "any"}, {}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"items": [{"type": "null"}], "additionalItems": False}, {"prefixItems": [{"type": "null"}], "items": False}),
        ({"dependencies": {"a": ["b"], "c": {"type": "object"}}},
         {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"type": "object"}}}),
        ({"type": "string", "enum": [1, True, "x", 1]}, {"type": "string", "enum": ["1", "true", "x"]}),
        ({"type": "string", "default": 1.5}, {"type": "string", "default": "1.5"}),
        ({"maxLength": 10.0}, {"maxLength": 10}),
        ({"required": True, "maxLength": -1, "minimum": "3", "pattern": 4, "enum": [], "multipleOf": 0}, {}),
        ({"required": ["a", "a", 1]}, {"required": ["a"]}),
        ({"xml": {}, "externalDocs": {}, "x-anything": 1, "$id": "a", "discriminator": {}, "definitions": {}}, {}),
        ({"x-sensitive": True, "writeOnly": True}, {"x-sensitive": True, "writeOnly": True}),
        ({"properties": {"a": "text"}}, {"properties": {"a": True}}),
        (False, False),
    ],
)  # fmt: skip
def test_old_words_become_new_ones(old: object, new: object) -> None:
    assert upgraded(old) == new


def test_what_is_left_out_is_told() -> None:
    told: list[tuple[str, str]] = []
    upgrader = Upgrader(lambda spot: "", lambda place, what: told.append((place, what)), siblings=True)
    upgrader.upgrade(Spot({"type": "thing", "minLength": "x", "items": {"maximum": []}}, pointer="/a"))
    assert [place for place, _ in told] == ["/a/type", "/a/minLength", "/a/items/maximum"]


def test_hidden_characters_do_not_get_through() -> None:
    schema = upgraded({"description": "a\u202eb\U000e0041c\x00", "title": "t" * 999, "example": {"k": "\u200bv"}})
    assert schema["description"] == "abc"
    assert len(schema["title"]) == 200
    assert schema["examples"] == [{"k": "v"}]


KEYWORDS = (
    "type enum const default minimum maximum exclusiveMinimum maxLength minItems required properties items allOf anyOf"
    " not nullable additionalProperties patternProperties dependencies format pattern example examples description"
).split()
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(-5, 5)
    | st.sampled_from(["string", "object", "a", "int"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
    max_leaves=15,
)


@given(VALUES)
def test_whatever_comes_in_what_comes_out_is_json_schema(value: object) -> None:
    assert jsonschema_rs.meta.is_valid(upgraded(value))

"""Text that can mean only one thing becomes it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apis.samples import refusal, taking

from knowgate.apis.coerce import coerce


@pytest.mark.parametrize(
    ("type", "text", "expected"),
    [
        ("integer", "42", 42),
        ("integer", "-1", -1),
        ("integer", "4.0", 4.0),
        ("number", "1.5", 1.5),
        ("number", "7", 7),
        ("boolean", "true", True),
        ("boolean", "False", False),
        (["integer", "null"], "3", 3),
        ("array", "[1, 2]", [1, 2]),
        ("object", ' {"a": 1}', {"a": 1}),
        # Not obvious, so left for the schema to refuse:
        ("integer", "042", "042"),
        ("integer", "1_000", "1_000"),
        ("integer", " 1", " 1"),
        ("number", "nan", "nan"),
        ("number", "1e999", "1e999"),
        ("boolean", "yes", "yes"),
        ("array", "a,b", "a,b"),
        (["string", "integer"], "1", "1"),
        ("string", "1", "1"),
    ],
)
def test_coercions(type: Any, text: str, expected: Any) -> None:
    found = coerce(text, {"type": type}, {})
    assert found == expected
    assert isinstance(found, bool) == isinstance(expected, bool)


def test_it_reaches_into_bodies_through_references() -> None:
    defs = {"Node": {"properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}, "free": True}}}
    value = {"n": "1", "next": {"n": "2", "free": "3"}, "other": "4"}
    expected = {"n": 1, "next": {"n": 2, "free": "3"}, "other": "4"}
    assert coerce(value, {"$ref": "#/$defs/Node"}, defs) == expected
    assert coerce([{"n": "1"}], {"items": {"allOf": [{"$ref": "#/$defs/Node"}]}}, defs) == [{"n": 1}]


@given(st.text(), st.sampled_from(["integer", "number", "boolean"]))
def test_any_text_stays_or_becomes_a_plain_value(text: str, type: str) -> None:
    assert isinstance(coerce(text, {"type": type}, {}), (str, int, float))


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"x": {"a": 1, "a": 2}}', '{"a": NaN}', '{"a": -Infinity}'])
def test_json_text_that_can_be_read_two_ways_is_refused(text: str) -> None:
    assert refusal(taking("application/json", {"type": "object"}), {"body": text}).code == "unsafe_value"


@pytest.mark.parametrize("text", ['{"a": ', "{'a': 1}"])
def test_json_text_that_is_none_is_refused(text: str) -> None:
    error = refusal(taking("application/json", {"type": "object"}), {"body": text})
    assert error.code == "bad_arguments"
    assert "/body" in error.message

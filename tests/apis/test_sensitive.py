from __future__ import annotations

from dataclasses import replace

import pytest
from tests.apis.samples import operation

from knowgate.apis.operation import Answer, Schema
from knowgate.apis.sensitive import sensitive

USER: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "password": {"type": "string", "format": "password"},
        "pin": {"type": "string", "writeOnly": True},
        "friends": {"type": "array", "items": {"$ref": "#/$defs/User"}},
        "keys": {"type": "object", "additionalProperties": {"x-sensitive": True}},
    },
}


def answering(schema: Schema, status: str = "200"):
    return replace(operation(), answers=(Answer(status, content={"application/json": schema}),), defs={"User": USER})


def test_the_ways_to_what_is_sensitive():
    found = sensitive(answering({"type": "array", "items": {"$ref": "#/$defs/User"}}), 200)
    assert set(found) == {("*", "password"), ("*", "pin"), ("*", "keys", "*")}


@pytest.mark.parametrize(("told", "status", "found"), [("2XX", 201, 1), ("default", 500, 1), ("404", 200, 0)])
def test_the_answer_with_the_status_counts(told: str, status: int, found: int):
    schema: Schema = {"anyOf": [{"type": "null"}, {"properties": {"a": {"format": "password"}}}]}
    assert len(sensitive(answering(schema, told), status)) == found


def test_nothing_to_hide():
    assert sensitive(answering({"type": "object", "properties": {"a": True}}), 200) == ()

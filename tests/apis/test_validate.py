"""A refusal names the place, the rule and arguments that would be right."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from tests.apis.samples import built, operation, parameter, refusal

from knowgate.apis.operation import Body

DEFS: dict[str, Any] = {
    "Pet": {
        "type": "object",
        "required": ["name", "id"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "name": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
            "kind": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Kind"}]},
            "friends": {"type": "array", "items": {"$ref": "#/$defs/Pet"}},
        },
    },
    "Kind": {"type": "object", "properties": {"size": {"enum": ["small", "large"]}}},
}
ONE = operation(
    parameter("id", "path", {"type": "integer"}),
    parameter("limit", schema={"type": "integer", "maximum": 100}),
    path="/pets/{id}",
    method="PUT",
    bodies=(Body("application/json", {"$ref": "#/$defs/Pet"}),),
    body_required=True,
    defs=DEFS,
)
GOOD: dict[str, Any] = {"id": 1, "body": {"name": "Rex"}}


@pytest.mark.parametrize(
    ("change", "code", "place", "rule"),
    [
        ({"id": "x"}, "bad_arguments", "/id ", "(type)"),
        ({"limit": 500}, "bad_arguments", "/limit ", "(maximum)"),
        ({"body": {}}, "missing_argument", "/body/name ", "(required)"),
        ({"body": {"name": "R"}}, "bad_arguments", "/body/name ", "(minLength)"),
        ({"body": {"name": "rex"}}, "bad_arguments", "/body/name ", "(pattern)"),
        ({"body": {"name": "Rex", "nam": 1}}, "bad_arguments", "/body ", "(additionalProperties)"),
        ({"body": {"name": "Rex", "kind": {"size": "big"}}}, "bad_arguments", "/body/kind/size ", "(enum)"),
        ({"body": {"name": "Rex", "kind": 1}}, "bad_arguments", "/body/kind ", "(anyOf)"),
        ({"body": {"name": "Rex", "friends": [GOOD["body"], {"name": 7}]}}, "bad_arguments", "/friends/1/name", "type"),
        ({"body": [1]}, "bad_arguments", "/body ", "(type)"),
    ],
)
def test_place_rule_and_a_correction_that_works(change: dict[str, Any], code: str, place: str, rule: str) -> None:
    error = refusal(ONE, {**GOOD, **change})
    assert error.code == code
    assert place in error.message
    assert rule in error.message
    corrected = json.loads(error.fix.removeprefix("For example: "))
    assert built(ONE, corrected)


@pytest.mark.parametrize(("missing", "place"), [("id", "/id"), ("body", "/body")])
def test_missing_arguments(missing: str, place: str) -> None:
    error = refusal(ONE, {name: value for name, value in GOOD.items() if name != missing})
    assert error.code == "missing_argument"
    assert error.message.startswith(f"{place} (required)")
    assert built(ONE, json.loads(error.fix.removeprefix("For example: ")))


def test_what_only_answers_hold_is_not_required() -> None:
    assert built(ONE, GOOD).body == b'{"name":"Rex"}'


def test_refusals_are_short_however_long_the_value_is() -> None:
    assert len(str(refusal(ONE, {**GOOD, "body": {"name": "x" * 100_000}}))) < 2000


def test_broken_keywords_do_not_stop_the_rest() -> None:
    schema = {"type": "string", "pattern": "[", "maxLength": 3, "minLength": "2"}
    one = operation(parameter("q", schema=schema))
    assert built(one, {"q": "abc"})
    assert refusal(one, {"q": "abcd"}).code == "bad_arguments"


def test_a_reference_to_elsewhere_is_not_fetched() -> None:
    one = operation(parameter("q", schema={"$ref": "http://127.0.0.1:9/schema.json"}))
    assert refusal(one, {"q": "a"}).code == "bad_operation"


def test_a_pattern_cannot_hang_us() -> None:
    one = operation(parameter("q", schema={"type": "string", "pattern": r"^(?=a)((a|aa)+)+\1$"}))
    assert refusal(one, {"q": "a" * 60 + "b"}).code == "bad_arguments"


def test_several_alternatives_that_fit_are_no_fault_of_the_caller() -> None:
    one = operation(parameter("q", schema={"oneOf": [{"type": "string"}, {"minLength": 1}]}))
    assert built(one, {"q": "a"})
    neither = operation(parameter("q", schema={"oneOf": [{"type": "integer"}, {"minLength": 3}]}))
    assert refusal(neither, {"q": "a"}).code == "bad_arguments"


def test_read_only_in_another_part_of_the_schema_is_not_required() -> None:
    schema = {"required": ["id"], "allOf": [{"properties": {"id": {"type": "integer", "readOnly": True}}}]}
    assert built(operation(method="POST", bodies=(Body("application/json", schema),)), {"body": {}}).body == b"{}"


def test_an_example_has_a_key_of_its_own_each_time() -> None:
    key = parameter("Idempotency-Key", "header", {"type": "string", "minLength": 8}, required=True)
    one = operation(key, parameter("limit", schema={"type": "integer"}), method="POST")
    found = [json.loads(refusal(one, {}).fix.removeprefix("For example: "))["Idempotency-Key"] for _ in range(2)]
    assert found[0] != found[1]
    assert all(map(UUID, found))
    mine = refusal(one, {"Idempotency-Key": "mine-mine", "limit": "x"}).fix
    assert "mine-mine" in mine

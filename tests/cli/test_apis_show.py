"""An operation as people read it: its arguments, the fields of its body, and a call to copy."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import Ran

from knowgate.cli.apis_run import read_params
from knowgate.cli.apis_show import as_options, field_rows

SPEC = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "https://shop.example"}]
paths:
  /orders/{id}:
    put:
      operationId: changeOrder
      parameters:
        - {name: id, in: path, required: true, description: Which one, schema: {type: string, examples: [o 1]}}
        - {name: kind, in: query, schema: {type: array, items: {type: string}}}
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
      responses: {"200": {description: The order}}
  /ping:
    get: {operationId: ping, responses: {"200": {description: pong}}}
  /lines:
    post:
      operationId: addLines
      requestBody:
        content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Line"}}}}
      responses: {"200": {description: fine}}
components:
  schemas:
    Order:
      type: object
      required: [lines]
      properties:
        id: {type: string, readOnly: true}
        due: {type: string, format: date, description: "When it\\nis wanted"}
        state: {type: string, enum: [open, done]}
        lines: {type: array, items: {$ref: "#/components/schemas/Line"}}
    Line:
      allOf: [{type: object, properties: {sku: {type: string}}}, {required: [sku]}]
      properties:
        parts: {type: array, items: {$ref: "#/components/schemas/Line"}}
"""


@pytest.fixture
def show(cli: Callable[..., Ran], tmp_path: Path) -> Callable[..., Ran]:
    (tmp_path / "shop.yaml").write_text(SPEC, encoding="utf-8")
    assert cli("apis", "add", "shop", tmp_path / "shop.yaml", "--data", "d").code == 0
    return lambda operation: cli("apis", "show", operation, "--data", "d")


def test_the_fields_of_a_body_are_a_table(show: Callable[..., Ran]):
    lines = [line.split() for line in show("changeOrder").out.splitlines()]
    assert ["id", "string", "required", "Which", "one"] in lines
    assert ["kind", "array", "of", "string"] in lines
    assert ["Body:", "object,", "required"] in lines
    assert ["due", "string", "(date)", "When", "it", "is", "wanted"] in lines
    assert ["state", "string", "One", "of", '"open",', '"done".'] in lines
    assert ["lines", "array", "of", "object", "required"] in lines
    assert ["sku", "string", "required"] in lines


def test_fields_are_indented_and_end_somewhere(show: Callable[..., Ran]):
    out = show("changeOrder").out
    assert "\n  sku " in out
    assert "\n    parts " in out
    assert "\n      …\n" in out


def test_the_example_is_a_call_to_copy(show: Callable[..., Ran], cli: Callable[..., Ran]):
    lines = show("changeOrder").out.splitlines()
    words = shlex.split(lines[lines.index("Example:") + 1])
    at = words.index("apis")
    assert words[at : at + 5] == ["apis", "run", "changeOrder", "--param", "id=o 1"]
    tried = cli(*words[at:], "--dry-run", "--data", "d")
    assert (tried.code, "orders/o%201" in tried.out) == (0, True)


def test_other_bodies(show: Callable[..., Ran]):
    assert "\nArguments: none\n" in show("ping").out
    assert "Body" not in show("ping").out
    assert "\nBody: array of object\n" in show("addLines").out
    assert "\nsku " in show("addLines").out
    assert show("pnig").code == 9


def test_odd_schemas_have_rows_too():
    schema = {"properties": {"any": True, "none": False, "either": {"oneOf": [{"type": "string"}, {"type": "null"}]}}}
    assert [row[:2] for row in field_rows(schema, {})] == [("any", ""), ("none", ""), ("either", "several kinds")]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(
    st.dictionaries(TEXTS.filter(lambda name: "=" not in name and name != "body"), TEXTS | st.lists(TEXTS, min_size=2))
)
def test_an_example_is_read_back_as_it_was(example: dict[str, object]):
    assert read_params(as_options(example)[1::2]) == example

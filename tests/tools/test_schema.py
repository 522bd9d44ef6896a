from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
import pytest
from pydantic import Field

from knowgate.doors.mcp.server import listing
from knowgate.tools.schema import input_schema, output_schema, plain
from knowgate.tools.tool import Given, Tool
from knowgate.tools.toolsets import find_toolset

TOOLS = [tool for name in ("native", "openrag") for tool in find_toolset(name).tools]


def tokens(text: str) -> int:
    """Within a few per cent of what models count: pieces of words, runs of marks."""
    return sum(
        math.ceil(len(each) / 7) if each[0].isalnum() else 1 for each in re.findall(r"[A-Za-z]+|\d+|[^\w\s]+|_", text)
    )


def test_the_list_of_native_tools_is_short():
    listed = [
        listing(tool).model_dump(by_alias=True, exclude_none=True, mode="json") for tool in find_toolset("native").tools
    ]
    text = orjson.dumps(listed).decode()
    assert tokens(text) < 4000


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_described_for_those_who_do_not_know_it(tool: Tool[Any]):
    listed = listing(tool)
    assert re.fullmatch(r"[a-z_]{1,64}", listed.name)
    assert listed.title
    assert listed.description
    assert listed.annotations
    assert listed.annotations.read_only_hint is not None
    assert listed.annotations.open_world_hint is not None
    if not listed.annotations.read_only_hint:
        assert listed.annotations.destructive_hint is not None
        assert listed.annotations.idempotent_hint is not None
    assert listed.input_schema["additionalProperties"] is False
    for example in re.findall(r"\{\".*?\"\}|\{\".*?\]\}", listed.description or ""):
        tool.input.model_validate(orjson.loads(example))
    if tool.input.model_fields:
        assert "Example" in (listed.description or "")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_hold_nothing_that_clients_stumble_over(tool: Tool[Any]):
    text = orjson.dumps([input_schema(tool.input), output_schema(tool.output)]).decode()
    # What an API takes as a body may be anything, and a schema that says nothing is worse.
    either = () if tool.name.endswith("run_operation") else ("anyOf",)
    for word in ("$ref", "$defs", *either, '"title":"', '"null"'):
        assert word not in text


class Asked(Given):
    """Not for the reader of the schema."""

    title: Annotated[str, Field(min_length=1, description="What it is called.")]
    kind: Literal["a", "b"] = "a"
    most: Annotated[int | None, Field(ge=1)] = None
    either: int | str | None = None


def test_an_input_schema():
    assert input_schema(Asked) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "title": {"description": "What it is called.", "minLength": 1, "type": "string"},
            "kind": {"default": "a", "enum": ["a", "b"], "type": "string"},
            "most": {"minimum": 1, "type": "integer"},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "required": ["title"],
    }


@dataclass(frozen=True, slots=True)
class Deep:
    name: str


@dataclass(frozen=True, slots=True)
class Told:
    found: list[Deep]
    one: Deep
    names: tuple[str, ...]
    sure: bool
    kind: Literal["a", "b"]
    counts: dict[str, int]
    more: str | None = None


def test_an_output_schema_and_what_fits_it():
    assert output_schema(Told) == {
        "type": "object",
        "properties": {
            "found": {"type": "array", "items": {"type": "object"}},
            "one": {"type": "object"},
            "names": {"type": "array", "items": {"type": "string"}},
            "sure": {"type": "boolean"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "counts": {"type": "object"},
            "more": {"type": "string"},
        },
        "required": ["found", "one", "names", "sure", "kind", "counts"],
    }
    assert plain(Told([Deep("a")], Deep("b"), ("c",), True, "a", {"d": 1})) == {
        "found": [{"name": "a"}],
        "one": {"name": "b"},
        "names": ["c"],
        "sure": True,
        "kind": "a",
        "counts": {"d": 1},
    }

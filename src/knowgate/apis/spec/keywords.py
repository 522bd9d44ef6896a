"""Which keywords of JSON Schema hold what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from knowgate.apis.operation import Json, Schema

ONE = frozenset(
    "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties"
    " contentSchema".split()
)
"""A schema."""
SEVERAL = frozenset("allOf anyOf oneOf prefixItems".split())
"""A list of schemas."""
NAMED = frozenset("properties patternProperties dependentSchemas".split())
"""Schemas by name."""
TEXTS = frozenset("format pattern contentMediaType contentEncoding".split())
NUMBERS = frozenset("minimum maximum multipleOf exclusiveMinimum exclusiveMaximum".split())
COUNTS = frozenset("minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains".split())
FLAGS = frozenset("readOnly writeOnly deprecated uniqueItems x-sensitive".split())
TYPES = frozenset("null boolean object array number string integer".split())

_DEFS = "#/$defs/"


def reference_to(name: str) -> str:
    return _DEFS + name


def references(schema: Schema) -> Iterator[str]:
    """The names of the definitions that an upgraded schema refers to, itself and in its parts."""
    if not isinstance(schema, Mapping):
        return
    for key, value in schema.items():
        if key == "$ref" and isinstance(value, str):
            yield value.removeprefix(_DEFS)
        elif key in ONE:
            yield from references(value)
        elif key in SEVERAL:
            for each in cast("list[Json]", value):
                yield from references(each)
        elif key in NAMED:
            for each in cast("dict[str, Json]", value).values():
                yield from references(each)


def closure(names: Iterable[str], links: Mapping[str, Iterable[str]]) -> set[str]:
    """The definitions that are needed when these are, by what each refers to."""
    found = set(names)
    waiting = list(found)
    while waiting:
        new = set(links[waiting.pop()]) - found
        found |= new
        waiting += new
    return found

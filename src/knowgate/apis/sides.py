"""Fields of one side: what is `readOnly` belongs into answers, and a request neither needs nor holds it."""

from __future__ import annotations

from collections.abc import Mapping

from knowgate.apis.operation import Json, Schema
from knowgate.apis.schemas import Defs, asked_of, fields_of, flatten, types_of
from knowgate.apis.values import is_list, is_object

_DATA = ("enum", "const", "default", "example", "examples")


def is_marked(schema: Schema, defs: Defs, keyword: str) -> bool:
    """Whether `readOnly` or `writeOnly` is said of it: by itself, or by the one thing that it may be besides null."""
    flat = flatten(schema, defs)
    if flat.get(keyword) is True:
        return True
    parts = [flatten(part, defs) for name in ("anyOf", "oneOf") for part in flat.get(name) or ()]
    parts = [part for part in parts if types_of(part) != ("null",)]
    return len(parts) == 1 and parts[0].get(keyword) is True


def without_read_only(value: Json, schema: Schema, defs: Defs) -> Json:
    """The value without what a request should not hold. The schema is one `for_request`: it knows what is asked for."""
    if is_list(value):
        items: Schema = flatten(schema, defs).get("items", True)
        return [without_read_only(member, items, defs) for member in value]
    if not is_object(value):
        return value
    fields, asked = fields_of(schema, defs), asked_of(schema, defs)
    more: Schema = flatten(schema, defs).get("additionalProperties", True)
    return {
        name: without_read_only(inner, fields.get(name, more), defs)
        for name, inner in value.items()
        if name in asked or not is_marked(fields.get(name, more), defs, "readOnly")
    }


def for_request(schema: Json, defs: Defs) -> Json:
    """A copy of the schema in which what is `readOnly` is not required.

    One part of an `allOf` may ask for what another calls `readOnly`: references to other things are written like that,
    and are useless without. There the part that asks is believed.
    """
    if is_list(schema):
        return [for_request(part, defs) for part in schema]
    if not is_object(schema):
        return schema
    copy = {key: value if key in _DATA else for_request(value, defs) for key, value in schema.items()}
    required = copy.get("required")
    if is_list(required):
        fields: Mapping[str, Schema] = flatten(schema, defs).get("properties", {})
        copy["required"] = [name for name in required if not is_marked(fields.get(name, True), defs, "readOnly")]
    return copy

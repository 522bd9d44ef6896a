"""Obvious coercions: assistants and command lines send numbers, booleans and objects as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from knowgate.apis.operation import Json, Schema
from knowgate.apis.schemas import Defs, fields_of, flatten, types_of
from knowgate.apis.values import check_sendable, is_list, is_object, strict_json

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_BOOLEANS = {"true": True, "false": False}


def coerce(value: Json, schema: Schema, defs: Defs, where: str = "") -> Json:
    """The value as the schema's only type would have it, when its text can mean nothing else; otherwise as it is."""
    if is_object(value):
        return _each_field(value, schema, defs, where)
    if is_list(value):
        items: Schema = flatten(schema, defs).get("items", True)
        return [coerce(member, items, defs, f"{where}/{index}") for index, member in enumerate(value)]
    types = types_of(flatten(schema, defs)) if isinstance(value, str) else ()
    return _from_text(value, types[0], schema, defs, where) if len(types) == 1 else value


def _from_text(text: str, type: str, schema: Schema, defs: Defs, where: str) -> Json:
    if type == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if type in ("integer", "number") and _NUMBER.fullmatch(text):
        number = float(text)
        whole = _INTEGER.fullmatch(text) is not None
        return int(text) if whole else number if math.isfinite(number) else text
    if type == "boolean":
        return _BOOLEANS.get(text.lower(), text)
    opening = {"object": "{", "array": "["}.get(type)
    if opening and text.lstrip().startswith(opening):
        value = strict_json(text, where or "The value")
        check_sendable(value)
        return coerce(value, schema, defs, where)
    return text


def _each_field(value: Mapping[str, Json], schema: Schema, defs: Defs, where: str) -> dict[str, Json]:
    fields = fields_of(schema, defs)
    return {
        key: coerce(inner, fields[key], defs, f"{where}/{key}") if key in fields else inner
        for key, inner in value.items()
    }

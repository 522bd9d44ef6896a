"""JSON schemas of tools, kept short: clients put them into every conversation."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel

_ONE = [{"type": "object"}, {"type": "string"}, {"type": "number"}, {"type": "boolean"}]
_ANYTHING: dict[str, Any] = {"anyOf": [*_ONE, {"type": "array", "items": {"anyOf": _ONE}}]}
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Without titles and nulls: what need not be given is left out, and a null means the same."""
    return {"type": "object", **_short(model.model_json_schema(), inside=False)}


def output_schema(shape: type) -> dict[str, Any]:
    """The names of a dataclass and what they hold; of what lies deeper only that it is an object or a list."""
    hints = get_type_hints(shape)
    known = fields(shape)
    return {
        "type": "object",
        # What may be anything is left unsaid; a schema that allows everything is taken for a mistake by some clients.
        "properties": {field.name: _kind(hints[field.name]) for field in known if hints[field.name] is not Any},
        "required": [field.name for field in known if field.default is MISSING and field.default_factory is MISSING],
    }


def plain(value: object) -> Any:
    """As JSON holds it, without what is None."""
    if is_dataclass(value):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: plain(each) for name, each in named.items() if each is not None}
    if isinstance(value, dict):
        return {name: plain(each) for name, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in cast("list[object]", value)]
    return value


def _short(schema: dict[str, Any], inside: bool) -> dict[str, Any]:
    short: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            short[key] = {name: _told(_short(each, inside=True)) for name, each in value.items()}
        elif key == "anyOf":
            kinds = [each for each in value if each.get("type") != "null"]
            short |= _short(kinds[0], inside=True) if len(kinds) == 1 else {key: kinds}
        elif key in ("title", "description" if not inside else "title") or (key == "default" and value in (None, "")):
            continue
        else:
            short[key] = _short(cast("dict[str, Any]", value), inside=True) if isinstance(value, dict) else value
    return short


def _told(schema: dict[str, Any]) -> dict[str, Any]:
    """Whatever something may be is named."""
    return schema if {"type", "enum", "const", "anyOf", "oneOf", "$ref"} & schema.keys() else _ANYTHING | schema


def _kind(hint: Any) -> dict[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _kind(next(each for each in inner if each is not NoneType))
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (list, tuple):
        return {"type": "array", "items": _kind(inner[0])}
    return {"type": _PLAIN.get(hint, "object")}

"""Looking into a schema: what a reference means, what an object holds, what a file is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from knowgate.apis.operation import Json, Schema
from knowgate.apis.values import is_list, is_object

Defs = Mapping[str, Schema]
_PREFIX = "#/$defs/"
_HOPS = 16


def flatten(schema: Schema, defs: Defs, hops: int = _HOPS) -> dict[str, Json]:
    """One level of a schema with its reference followed and its `allOf` folded in; cycles and bombs end by `hops`."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    flat: dict[str, Json] = {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
    if hops > 0:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            flat = _fold(flatten(defs.get(name_of(reference), {}), defs, hops - 1), flat)
        for part in _list(schema.get("allOf")):
            flat = _fold(flat, flatten(part, defs, hops // 2))
    return flat


def name_of(reference: str) -> str:
    return reference.removeprefix(_PREFIX).replace("~1", "/").replace("~0", "~")


def reachable(schemas: Iterable[Schema], defs: Defs) -> dict[str, Schema]:
    """The definitions that these schemas need. An operation's answers often bring in hundreds of others."""
    found: dict[str, Schema] = {}
    open_: list[Json] = list(schemas)
    while open_:
        value = open_.pop()
        if is_object(value):
            reference = value.get("$ref")
            name = name_of(reference) if isinstance(reference, str) else ""
            if name in defs and name not in found:
                found[name] = defs[name]
                open_.append(defs[name])
            open_.extend(value.values())
        elif is_list(value):
            open_.extend(value)
    return found


def types_of(flat: Mapping[str, Json]) -> tuple[str, ...]:
    """The types a flattened schema names or, naming none, is about. Without null, unless it is nothing else."""
    told = flat.get("type")
    types: list[str] = [told] if isinstance(told, str) else _list(told)
    if types:
        return tuple(type for type in types if type != "null") or ("null",)
    if "properties" in flat or "additionalProperties" in flat:
        return ("object",)
    return ("array",) if "items" in flat or "prefixItems" in flat else ()


def fields_of(schema: Schema, defs: Defs) -> Mapping[str, Schema]:
    """The fields that an object may have, as far as they are declared; those of every alternative are."""
    flat = flatten(schema, defs)
    fields: dict[str, Schema] = dict(_mapping(flat.get("properties")))
    for keyword in ("oneOf", "anyOf"):
        for part in _list(flat.get(keyword)):
            for name, field in _mapping(flatten(part, defs).get("properties")).items():
                fields.setdefault(name, field)
    return fields


def asked_of(schema: Schema, defs: Defs) -> set[str]:
    """The fields that an object, or one of its alternatives, must have."""
    flat = flatten(schema, defs)
    parts = [flat, *(flatten(part, defs) for name in ("oneOf", "anyOf") for part in _list(flat.get(name)))]
    return {name for part in parts for name in _list(part.get("required")) if isinstance(name, str)}


def is_binary(flat: Mapping[str, Json]) -> bool:
    """Raw bytes: `format: binary`, or the 3.1 way of saying so."""
    types = types_of(flat)
    if types not in (("string",), ()):
        return False
    if flat.get("format") == "binary":
        return True
    return "contentMediaType" in flat and "contentEncoding" not in flat


def _fold(flat: dict[str, Json], more: Mapping[str, Json]) -> dict[str, Json]:
    folded = {**flat, **more}
    for keyword in ("properties", "patternProperties"):
        if keyword in flat and keyword in more:
            folded[keyword] = _both(_mapping(flat[keyword]), _mapping(more[keyword]))
    for keyword in ("items", "additionalProperties"):
        if is_object(flat.get(keyword)) and is_object(more.get(keyword)):
            folded[keyword] = {"allOf": [flat[keyword], more[keyword]]}
        elif flat.get(keyword) is False:
            folded[keyword] = False
    if "required" in flat and "required" in more:
        folded["required"] = list(dict.fromkeys([*_list(flat["required"]), *_list(more["required"])]))
    return folded


def _both(fields: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    shared = {name: {"allOf": [fields[name], more[name]]} for name in fields if name in more}
    return {**fields, **more, **shared}


def _mapping(value: Json) -> Mapping[str, Any]:
    return value if is_object(value) else {}


def _list(value: Json) -> list[Any]:
    return value if is_list(value) else []

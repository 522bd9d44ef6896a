"""A believable value for a schema: always the same one, within its limits, and of an end even where it is recursive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Literal

from knowgate.apis.operation import Json, Schema
from knowgate.apis.patterns import candidates
from knowgate.apis.schemas import Defs, flatten, is_binary, types_of
from knowgate.apis.sides import is_marked, without_read_only
from knowgate.apis.values import is_list, is_object

Side = Literal["request", "answer"]

_FORMATS = {
    "date": "2025-01-15",
    "date-time": "2025-01-15T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "P1D",
    "email": "ada@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uri-reference": "/example",
    "uuid": "7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "byte": "ZXhhbXBsZQ==",
    "json-pointer": "/example",
    "regex": "^a$",
}
_DEPTH = 12
_FIELDS = 40
_DEEP_FIELDS = 8
_NONE = object()


@dataclass(frozen=True, slots=True)
class Taste:
    """How one value is made: other tastes give other values of the same schema."""

    side: Side = "request"
    optional: int = 2
    """To how many levels there are fields that are not required, too."""
    told: bool = True
    """Examples and defaults of the description, as far as they have the right type."""
    branch: int = 0
    """Which of several alternatives."""


def sample(schema: Schema, defs: Defs, taste: Taste = Taste()) -> Json:  # noqa: B008 - frozen
    """For a request, the schema is one `for_request`: what it requires is made, even if it is `readOnly`."""
    value = _make(schema, defs, taste, 0)
    if value is _NONE:
        return None
    return without_read_only(value, schema, defs) if taste.side == "request" else value


def fits_type(value: Json, flat: Mapping[str, Json]) -> bool:
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    kinds |= {"object": dict, "array": list, "null": type(None)}
    types = types_of(flat)
    if isinstance(value, bool) and types:
        return "boolean" in types
    return not types or any(isinstance(value, kinds.get(type, object)) for type in types)


def _make(schema: Schema, defs: Defs, taste: Taste, depth: int) -> Json:
    if depth > _DEPTH:
        return _NONE
    flat = flatten(schema, defs)
    for keyword in ("oneOf", "anyOf"):
        parts = [flatten(part, defs) for part in flat.pop(keyword, ())]
        parts = [part for part in parts if types_of(part) != ("null",)]
        if parts:
            chosen = parts[min(taste.branch, len(parts) - 1)]
            flat = flatten({"allOf": [flat, chosen]}, defs)
            break
    told = _told(flat, taste)
    if told is not _NONE:
        return told
    types = types_of(flat)
    kind = types[0] if types else "string"
    if kind == "object":
        return _object(flat, defs, taste, depth)
    if kind == "array":
        return _array(flat, defs, taste, depth)
    if kind in ("integer", "number"):
        return _number(flat, kind == "integer")
    return {"boolean": True, "null": None}[kind] if kind in ("boolean", "null") else _string(flat)


def _told(flat: Mapping[str, Json], taste: Taste) -> Json:
    if "const" in flat:
        return flat["const"]
    choices = [choice for choice in flat.get("enum") or () if choice is not None]
    if choices:
        return choices[0]
    if taste.told:
        examples = flat.get("examples")
        for value in (*(examples if is_list(examples) else ()), flat.get("example"), flat.get("default")):
            if value is not None and fits_type(value, flat) and not is_binary(flat):
                return value
    return _NONE


def _object(flat: Mapping[str, Json], defs: Defs, taste: Taste, depth: int) -> Json:
    properties: Mapping[str, Schema] = flat.get("properties") or {}
    required: list[str] = list(flat.get("required") or ())
    more: Schema = flat.get("additionalProperties", True)
    most = _FIELDS if depth < 2 or taste.side == "answer" else _DEEP_FIELDS
    optional = list(properties)[:most] if depth < taste.optional else []
    hidden = _hidden(properties, defs, taste) - (set(required) if taste.side == "request" else set[str]())
    made: dict[str, Json] = {}
    for name in dict.fromkeys([*required, *optional]):
        if name in hidden:
            continue
        value = _make(properties.get(name, more), defs, taste, depth + 1)
        if value is not _NONE:
            made[name] = value
        elif name in required:
            return _NONE
    least = int(flat.get("minProperties") or 0)
    if not properties and is_object(more) and taste.optional:
        least = max(least, 1)
    names = [name for name in properties if name not in hidden]
    for name in [*names, *(f"key{number}" for number in range(1, least + 1))]:
        if len(made) >= min(least, _FIELDS):
            break
        value = _make(properties.get(name, more), defs, taste, depth + 1) if name not in made else _NONE
        if value is not _NONE:
            made[name] = value
    return made


def _hidden(properties: Mapping[str, Schema], defs: Defs, taste: Taste) -> set[str]:
    keyword = "readOnly" if taste.side == "request" else "writeOnly"
    return {name for name, field in properties.items() if is_marked(field, defs, keyword)}


def _array(flat: Mapping[str, Json], defs: Defs, taste: Taste, depth: int) -> Json:
    least = int(flat.get("minItems") or 0)
    wanted = min(max(least, 1 if taste.optional or depth == 0 else 0), int(flat.get("maxItems", _FIELDS)), _FIELDS)
    firsts: list[Schema] = flat.get("prefixItems", list[Schema]())[: max(wanted, 1)]
    made = [_make(item, defs, taste, depth + 1) for item in firsts]
    items: Schema = flat.get("items", True)
    if len(made) < wanted:
        one = _make(items, defs, taste, depth + 1)
        choices = [choice for choice in flatten(items, defs).get("enum") or () if choice is not None]
        more = range(wanted - len(made))
        made += [choices[index] if index < len(choices) else _varied(one, index) for index in more]
    if any(member is _NONE for member in made):
        return [] if least == 0 else _NONE
    return made


def _varied(value: Json, index: int) -> Json:
    """Another value of the same kind, for lists whose members must differ."""
    if isinstance(value, str) and index:
        return f"{value}{index + 1}"
    return value + index if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _number(flat: Mapping[str, Json], whole: bool) -> int | float:
    step = flat.get("multipleOf") or 0
    low, high = flat.get("minimum"), flat.get("maximum")
    above, below = flat.get("exclusiveMinimum"), flat.get("exclusiveMaximum")
    gap = step or (1 if whole else 0.5)
    floor_ = max((bound for bound in (low, None if above is None else above + gap) if bound is not None), default=None)
    roof = min((bound for bound in (high, None if below is None else below - gap) if bound is not None), default=None)
    value: int | float = 1
    if floor_ is not None and value < floor_:
        value = floor_
    if roof is not None and value > roof:
        value = roof
    if step:
        value = ceil(value / step) * step
        if roof is not None and value > roof:
            value = floor(roof / step) * step
    return ceil(value) if whole else value


def _string(flat: Mapping[str, Json]) -> str:
    least, most = int(flat.get("minLength") or 0), int(flat.get("maxLength", 1 << 20))
    pattern = flat.get("pattern")
    usual = _FORMATS.get(str(flat.get("format")), "example")
    if isinstance(pattern, str):
        fits = _matcher(pattern)
        for text in (usual, *candidates(pattern)):
            gap = "a" * (least - len(text))
            for padded in (text + gap, gap + text):
                if len(padded) <= most and fits(padded):
                    return padded
    if len(usual) < least:
        return (usual + "-example" * ceil(least / 8))[:least]
    return usual[:most]


def _matcher(pattern: str) -> Callable[[str], bool]:
    from jsonschema_rs import Draft202012Validator, ValidationError

    try:
        return Draft202012Validator({"pattern": pattern}).is_valid
    except ValidationError:  # no regular expression at all, and then nobody insists on it
        return bool

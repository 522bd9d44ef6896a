"""A schema of any version of OpenAPI as JSON Schema 2020-12, without what a validator would trip over."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from knowgate.apis.operation import Json, Schema
from knowgate.apis.spec.keywords import COUNTS, FLAGS, NAMED, NUMBERS, ONE, SEVERAL, TEXTS, TYPES
from knowgate.apis.spec.references import Spot
from knowgate.apis.spec.text import MEDIUM, SHORT, clean, clean_value
from knowgate.apis.values import is_object

Refer = Callable[[Spot], str]
"""The `$ref` to write for the reference that stands at a spot."""
Warn = Callable[[str, str], None]
"""Is told a place and what was left out there."""

_EXAMPLES = 3
_DELIMITED = re.compile(r"/(\^.*\$)/([a-z]*)", re.S)
_SPELLINGS = {
    "int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
    "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean", "str": "string", "text": "string", "date": "string", "datetime": "string", "date-time": "string",
    "uuid": "string", "list": "array", "map": "object", "dict": "object", "json": "object",
}  # fmt: skip
"""Types that JSON Schema has not, as descriptions spell them."""


class Upgrader:
    def __init__(self, refer: Refer, warn: Warn, *, siblings: bool) -> None:
        """`siblings`: keywords beside a `$ref` count (from 3.1 on); before, words and marks such as readOnly do."""
        self._refer = refer
        self._warn = warn
        self._siblings = siblings

    def upgrade(self, spot: Spot) -> Schema:
        node = spot.value
        if isinstance(node, bool):
            return node
        if not is_object(node):
            self._warn(spot.place, "not a schema")
            return True
        schema: dict[str, Json] = {}
        if isinstance(node.get("$ref"), str):
            schema["$ref"] = self._refer(spot)
            if len(node) == 1:
                return schema
        _copy_words(node, schema)
        if "$ref" in schema and not self._siblings:
            return schema | {key: node[key] for key in FLAGS if node.get(key) is True}
        if "type" in node:
            self._copy_type(spot, node["type"], schema)
        _copy_values(node, schema)
        _copy_xml(node.get("xml"), schema)
        self._copy_bounds(spot, node, schema)
        self._copy_parts(spot, schema)
        self._mend_old_words(spot, node, schema)
        return _nullable(schema) if node.get("nullable") is True or node.get("x-nullable") is True else schema

    def _copy_type(self, spot: Spot, told: Json, schema: dict[str, Json]) -> None:
        given = cast("list[Json]", told if isinstance(told, list) else [told])
        known: list[str] = []
        for each in given:
            word = "null" if each is None else str(each).lower()
            word = _SPELLINGS.get(word, word)
            if word == "file":
                schema["format"], word = "binary", "string"
            if word in TYPES:
                known.append(word)
            elif word != "any":
                self._warn(f"{spot.place}/type", f"unknown type {clean(word, 40)!r}")
        if known and len(known) == len(given):
            schema["type"] = known[0] if len(known) == 1 else list(dict.fromkeys(known))

    def _copy_bounds(self, spot: Spot, node: dict[str, Json], schema: dict[str, Json]) -> None:
        for key, value in node.items():
            if (fits := _BOUNDS.get(key)) is None or value is None:
                continue
            if fits(value):
                # A whole number may be written as 10.0.
                schema.setdefault(key, int(value) if key in COUNTS else _bare(value) if key == "pattern" else value)
            elif not (isinstance(value, bool) and key.startswith("exclusive")):  # the old form, read next
                self._warn(f"{spot.place}/{key}", f"{key} cannot be used")
        for key, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if node.get(key) is True and limit in schema:
                schema[key] = schema.pop(limit)
        if isinstance(required := node.get("required"), list):
            names = [each for each in cast("list[Json]", required) if isinstance(each, str)]
            if names:
                schema["required"] = list(dict.fromkeys(names))

    def _copy_parts(self, spot: Spot, schema: dict[str, Json]) -> None:
        for key in cast("dict[str, Json]", spot.value):
            if key not in _PARTS:
                continue
            part = spot.at(key)
            if key in ONE and isinstance(part.value, dict | bool):
                schema[key] = self.upgrade(part)
            elif key in SEVERAL and isinstance(part.value, list) and part.value:
                schema[key] = [self.upgrade(each) for each in part.each()]
            elif key in NAMED and isinstance(part.value, dict):
                schema[key] = {name: self.upgrade(each) for name, each in part.items()}
            elif key == "dependentRequired":
                schema[key] = {name: each.value for name, each in part.items() if _are_texts(each.value)}

    def _mend_old_words(self, spot: Spot, node: dict[str, Json], schema: dict[str, Json]) -> None:
        """Lists of schemas under `items`, and `dependencies`, as later drafts say them."""
        if isinstance(node.get("items"), list):
            if node["items"]:
                schema["prefixItems"] = [self.upgrade(each) for each in spot.at("items").each()]
            if isinstance(node.get("additionalItems"), dict | bool):
                schema["items"] = self.upgrade(spot.at("additionalItems"))
        if "dependencies" not in node:
            return
        for name, each in spot.at("dependencies").items():
            if _are_texts(each.value):
                schema.setdefault("dependentRequired", {})[name] = each.value
            elif isinstance(each.value, dict | bool):
                schema.setdefault("dependentSchemas", {})[name] = self.upgrade(each)


def _copy_words(node: dict[str, Json], schema: dict[str, Json]) -> None:
    for key, limit in (("title", SHORT), ("description", MEDIUM)):
        if key in node and (text := clean(node[key], limit)):
            schema[key] = text


def _copy_values(node: dict[str, Json], schema: dict[str, Json]) -> None:
    """Enumerations, defaults and examples. YAML turns `1` into a number where a text was meant."""
    as_text = schema.get("type") == "string"
    if isinstance(values := node.get("enum"), list) and values:
        schema["enum"] = _distinct([_text(each) if as_text else each for each in cast("list[Json]", values)])
    for key in ("const", "default"):
        if key in node:
            schema[key] = _text(node[key]) if as_text else node[key]
    examples = node.get("examples")
    several = cast("list[Json]", examples) if isinstance(examples, list) else []
    one = [node["example"]] if "example" in node else []
    if kept := [clean_value(_text(each) if as_text else each) for each in (*one, *several)[:_EXAMPLES]]:
        schema["examples"] = kept


def _copy_xml(said: Json, schema: dict[str, Json]) -> None:
    if is_object(said):
        texts = {key: said[key] for key in ("name", "namespace", "prefix") if isinstance(said.get(key), str)}
        flags = {key: True for key in ("attribute", "wrapped") if said.get(key) is True}
        if texts or flags:
            schema["xml"] = {**{key: clean(text, SHORT) for key, text in texts.items()}, **flags}


def _bare(pattern: str) -> str:
    """Without the delimiters of other languages, as in /^[a-z]+$/i: nothing can match that as it stands."""
    found = _DELIMITED.fullmatch(pattern)
    if not found:
        return pattern
    return f"(?i){found[1]}" if "i" in found[2] else found[1]


def _text(value: Json) -> Json:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _distinct(values: list[Json]) -> list[Json]:
    return list({(type(each).__name__, repr(each)): each for each in values}.values())


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Json) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _are_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in cast("list[Json]", value))


def _nullable(schema: dict[str, Json]) -> Schema:
    if "type" in schema:
        types = cast("list[str]", schema["type"] if isinstance(schema["type"], list) else [schema["type"]])
        schema["type"] = [*types, "null"] if "null" not in types else types
        if "enum" in schema and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
        return schema
    words = {key: schema.pop(key) for key in ("title", "description") if key in schema}
    return {**words, "anyOf": [schema, {"type": "null"}]} if schema else words


_BOUNDS: dict[str, Callable[[Json], bool]] = {
    **dict.fromkeys(TEXTS, _is_text),
    **dict.fromkeys(COUNTS, _is_count),
    **dict.fromkeys(NUMBERS, _is_number),
    **dict.fromkeys(FLAGS, _is_flag),
    "multipleOf": lambda value: _is_number(value) and value > 0,
}
"""What each keyword can hold."""
_PARTS = ONE | SEVERAL | NAMED | {"dependentRequired"}

"""Bytes to plain values: JSON or YAML, within bounds that a bomb does not pass."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import cast

import orjson
import ryaml

from knowgate.apis.operation import Json
from knowgate.errors import DocumentError
from knowgate.yaml_text import expanded_size, too_deep_at

_FIX = "Check the description with a validator, or tell its author."
_SMALLER = "Split the description, or keep the paths that are needed."
_BLANK_WITH_TABS = re.compile(r"^ *\t[ \t]*$", re.M)
_HUGE_INTEGER = re.compile(r"(?<=[:\-\[,] )([-+]?\d{19,})(?=[ \t]*(?:[,\]}#]|$))", re.M)


@dataclass(frozen=True, slots=True)
class Limits:
    size: int = 32 * 2**20
    """Of the description and the files it refers to, together."""
    depth: int = 120
    """Low enough for plain recursion; real descriptions stay below 50."""
    containers: int = 4_000_000
    operations: int = 20_000
    files: int = 1_000
    seconds: float = 10
    """Of computing: a busy machine is not a bomb."""


def parse(data: bytes, limits: Limits) -> Json:
    """The value that the bytes say, with text for every key."""
    if len(data) > limits.size:
        raise too_large(f"is larger than {limits.size >> 20} MB")
    if data.count(b"{") + data.count(b"[") > limits.containers:
        raise too_large(f"holds more than {limits.containers:,} lists and objects")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise unreadable(f"is not UTF-8 at byte {error.start}") from None
    value: Json = _json(text, limits) if text.lstrip()[:1] in ("{", "[") else _yaml(text, limits)
    check_depth(value, limits)
    return value


def check_depth(value: Json, limits: Limits) -> None:
    if isinstance(value, dict | list) and (place := _too_deep(value, limits.depth)) is not None:
        raise DocumentError(
            "spec_too_deep", f"The API description is nested deeper than {limits.depth} levels at {place}.", _SMALLER
        )


def unreadable(what: str) -> DocumentError:
    return DocumentError("spec_unreadable", f"The API description {what}.", _FIX)


def too_large(what: str) -> DocumentError:
    return DocumentError("spec_too_large", f"The API description {what}.", _SMALLER)


def _json(text: str, limits: Limits) -> Json:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        wrong = error
    try:
        return _yaml(text, limits)  # YAML may begin with a bracket too
    except DocumentError:
        raise unreadable(
            f"is neither JSON ({wrong.msg} at line {wrong.lineno} column {wrong.colno}) nor YAML"
        ) from None


def _yaml(text: str, limits: Limits) -> Json:
    if expanded_size(text) > limits.size:
        raise too_large(f"is larger than {limits.size >> 20} MB when its aliases are written out")
    _refuse_nested_brackets(text)
    try:
        value = _load_yaml(text)
    except ValueError as first:
        # Two things that real descriptions hold and the reader refuses: a line of nothing but tabs in a text, and
        # integers beyond 64 bits.
        mended = _HUGE_INTEGER.sub(r"\1.0", _BLANK_WITH_TABS.sub("", text))
        if mended == text:
            raise unreadable(f"is not valid YAML: {first}") from None
        try:
            value = _load_yaml(mended)
        except ValueError as second:
            raise unreadable(f"is not valid YAML: {second}") from None
    return _as_json(value, merging="<<" in text)


def _load_yaml(text: str) -> object:
    """Whatever is wrong is a ValueError, the reader's own error among them."""
    try:
        return cast("object", ryaml.loads(text))  # pyright: ignore[reportPrivateImportUsage]
    except ryaml.InvalidYamlError as error:  # pyright: ignore[reportPrivateImportUsage]
        raise ValueError(str(error)[:300]) from None


def _refuse_nested_brackets(text: str) -> None:
    at = too_deep_at(text)
    if at is not None:
        line = text.count("\n", 0, at) + 1
        raise DocumentError("spec_too_deep", f"The API description nests too many brackets at line {line}.", _FIX)


def _as_json(value: object, *, merging: bool) -> Json:
    """Keys as text, merge keys (`<<`) merged, numbers that JSON has not left out."""
    if isinstance(value, dict):
        pairs = {
            _key(key): _as_json(each, merging=merging) for key, each in cast("dict[object, object]", value).items()
        }
        return _merged(pairs) if merging and "<<" in pairs else pairs
    if isinstance(value, list):
        return [_as_json(each, merging=merging) for each in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _key(key: object) -> str:
    if key is None:
        return "null"
    return str(key).lower() if isinstance(key, bool) else str(key)


def _merged(pairs: dict[str, Json]) -> dict[str, Json]:
    sources = cast("list[Json]", pairs["<<"] if isinstance(pairs["<<"], list) else [pairs["<<"]])
    if not all(isinstance(each, dict) for each in sources):
        return pairs  # a key that merely has this name
    merged: dict[str, Json] = {}
    for each in reversed(sources):
        merged |= each
    return merged | {key: each for key, each in pairs.items() if key != "<<"}


def _too_deep(value: Json, left: int) -> str | None:
    """The place that lies too deep, if there is one."""
    if left == 0:
        return ""
    pairs = cast("dict[str, Json]", value).items() if isinstance(value, dict) else enumerate(cast("list[Json]", value))
    for key, each in pairs:
        if isinstance(each, dict | list) and (place := _too_deep(each, left - 1)) is not None:
            return f"/{escaped(str(key)[:100])}{place}"
    return None


def escaped(token: str) -> str:
    """A step of a JSON pointer."""
    return token.replace("~", "~0").replace("/", "~1")

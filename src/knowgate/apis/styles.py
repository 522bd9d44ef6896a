"""The OpenAPI style table: how a value is written in a path, a query, a header or a cookie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import quote

from knowgate.apis.operation import Json, Style
from knowgate.apis.values import is_list, is_object, text_of
from knowgate.errors import InputError

Encode = Callable[[str], str]
Pairs = list[tuple[str, str]]

_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
_PREFIXES = {"simple": "", "label": ".", "matrix": ";"}


def escape(text: str) -> str:
    return quote(text, safe="")


def escape_unreserved(text: str) -> str:
    """For `allowReserved`. What ends, splits or re-reads a query stays encoded: # & = + ; [ ] and the percent sign."""
    return quote(text, safe=":/?@!$'()*,")


def in_segment(name: str, value: Json, style: Style, explode: bool, encode: Encode = escape) -> str:
    """simple, label and matrix: a stretch of a path, or a header's value."""
    prefix = _PREFIXES.get(style, "")
    joiner = prefix or ","
    if is_object(value):
        fields = _fields(value, encode)
        if explode:
            return prefix + joiner.join(f"{key}={text}" for key, text in fields)
        whole = ",".join(text for field in fields for text in field)
    elif is_list(value):
        members = _members(value, encode)
        if explode and style == "matrix":
            return "".join(_matrix(name, member) for member in members)
        whole = (joiner if explode else ",").join(members)
    else:
        whole = encode(text_of(value))
    return _matrix(name, whole) if style == "matrix" else prefix + whole


def in_pairs(name: str, value: Json, style: Style, explode: bool, encode: Encode = escape) -> Pairs:
    """form, the delimited styles and deepObject: name and value pairs, both encoded. What is empty has none."""
    key = encode(name)
    if style == "deepObject" and isinstance(value, (dict, list)):
        return [(escape(path), encode(text_of(leaf))) for path, leaf in _deep(name, value)]
    if is_object(value):
        fields = _fields(value, encode)
        if explode and style == "form":
            return fields
        members = [text for field in fields for text in field]
    elif is_list(value):
        members = _members(value, encode)
        if explode:
            return [(key, member) for member in members]
    else:
        return [(key, encode(text_of(value)))]
    delimiter = _DELIMITERS.get(style, ",")
    if any(delimiter in member for member in members):
        raise InputError(
            "unsafe_value",
            f"/{name}: a member holds the character that separates members ({style}).",
            "Send members without it; the API could not tell them apart.",
        )
    return [(key, delimiter.join(members))] if members else []


def _fields(value: dict[str, Json], encode: Encode) -> Pairs:
    return [(encode(key), encode(text_of(inner))) for key, inner in value.items() if inner is not None]


def _members(value: list[Json], encode: Encode) -> list[str]:
    return [encode(text_of(member)) for member in value if member is not None]


def _matrix(name: str, text: str) -> str:
    return f";{escape(name)}={text}" if text else f";{escape(name)}"


def _deep(path: str, value: Json) -> Iterator[tuple[str, Json]]:
    """OpenAPI leaves nesting open: brackets in brackets, and `[]` for the members of a list, is what servers read."""
    if is_object(value):
        for key, inner in value.items():
            yield from _deep(f"{path}[{key}]", inner)
    elif is_list(value):
        for index, inner in enumerate(value):
            yield from _deep(f"{path}[{index if isinstance(inner, (dict, list)) else ''}]", inner)
    elif value is not None:
        yield path, value

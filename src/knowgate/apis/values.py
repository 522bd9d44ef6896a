"""Plain values: what may be an argument at all, and how one is written as text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, TypeGuard

from knowgate.apis.operation import Json
from knowgate.errors import InputError

MAX_DEPTH = 64
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


def is_object(value: Json) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def is_list(value: Json) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def pointer(path: Iterable[str | int]) -> str:
    """A JSON Pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def check_sendable(value: Json, path: tuple[str | int, ...] = ()) -> None:
    """Refuse what no JSON text can say, what nests without end, and keys that poison objects in JavaScript servers."""
    if len(path) > MAX_DEPTH:
        raise InputError("bad_arguments", f"The arguments nest more than {MAX_DEPTH} levels deep.", "Flatten them.")
    if isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise _unsafe(path, "is not valid Unicode (half of a surrogate pair)", "Send whole characters.")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise _unsafe(path, "is not a finite number", "Send a number such as 1.5, or leave it out.")
    elif is_object(value):
        for key, inner in value.items():
            if key == "__proto__" or (key == "constructor" and is_object(inner) and "prototype" in inner):
                raise _unsafe((*path, key), "would change objects of the server", "Leave it out.")
            check_sendable(key, path)
            check_sendable(inner, (*path, key))
    elif is_list(value):
        for index, inner in enumerate(value):
            check_sendable(inner, (*path, index))
    elif value is not None and not isinstance(value, (bool, int)):
        raise InputError(
            "bad_arguments",
            f"{pointer(path)}: {type(value).__name__} is not a JSON value.",
            "Send text, a number, true, false, null, a list or an object.",
        )


def text_of(value: Json) -> str:
    """A value where there is only text: no Python spellings, no exponents; what nests becomes JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    return "" if value is None else json_text(value)


def json_text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def strict_json(text: str, where: str) -> Json:
    """JSON in which every key stands once and every number is finite: two readers cannot take it differently."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError("unsafe_value", f"{where}: the key {twice!r} stands twice.", "Give each key once.")
        return found

    def refuse(constant: str) -> Json:
        raise InputError("unsafe_value", f"{where}: {constant} is not JSON.", "Send a number or null.")

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(
            "bad_arguments", f"{where} is not JSON: {error}.", 'Send JSON, such as {"name": "value"}.'
        ) from error


def has_controls(text: str) -> bool:
    return _CONTROLS.search(text) is not None


def _unsafe(path: tuple[str | int, ...], what: str, fix: str) -> InputError:
    return InputError("unsafe_value", f"{pointer(path) or 'The value'} {what}.", fix)

"""Data cut to a size along its structure, each place with where to go on reading.

Sizes are bytes of compact JSON in UTF-8: about four to a token, in any script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from knowgate.apis.values import is_list, is_object
from knowgate.errors import InputError

Json = Any
_LEAST_BUDGET = 2000
_LEAST_FIELD = 200
"""A field that has to be cut keeps at least as much, or is left out with all that follow it."""
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class LeftOut:
    at: str
    """A JSON pointer."""
    start: int
    """What is missing there begins here …"""
    total: int
    """… of so many."""
    unit: Literal["items", "fields", "characters", "bytes"]


def cut(data: Json, budget: int, *, at: str = "", start: int = 0) -> tuple[Json, tuple[LeftOut, ...]]:
    """As much of the data as fits, and what was left out, in order; `at` and `start` continue at such a place."""
    cutter = _Cutter()
    kept = cutter.fit(_find(data, at), max(budget, _LEAST_BUDGET), at, start)
    return kept, tuple(cutter.left_out)


def _find(data: Json, pointer: str) -> Json:
    try:
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            data = data[int(name) if is_list(data) else name]
    except (LookupError, ValueError, TypeError) as error:
        raise InputError("bad_cursor", "The cursor points at nothing.", "Use the cursor as it was given.") from error
    return data


def _size(data: Json) -> int:
    return len(orjson.dumps(data))


class _Cutter:
    def __init__(self) -> None:
        self.left_out: list[LeftOut] = []

    def fit(self, data: Json, budget: int, at: str, start: int = 0) -> Json:
        if isinstance(data, str):
            return self._text(data, budget, at, start)
        if is_list(data):
            return self._items(data, budget, at, start)
        if is_object(data):
            return self._fields(data, budget, at, start)
        return data

    def _text(self, text: str, budget: int, at: str, start: int) -> str:
        rest = text[start:]
        if _size(rest[: budget + 1]) <= budget:
            return rest
        # The longest beginning that fits together with the sign that more follows.
        low, high = 0, budget
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if _size(rest[:middle] + _ELLIPSIS) <= budget else (low, middle - 1)
        self.left_out.append(LeftOut(at, start + low, len(text), "characters"))
        return rest[:low] + _ELLIPSIS

    def _items(self, items: list[Json], budget: int, at: str, start: int) -> list[Json]:
        kept: list[Json] = []
        left = budget - 2
        if left < _LEAST_FIELD and _size(items[start:]) > budget:
            self.left_out.append(LeftOut(at, start, len(items), "items"))
            return kept
        for item in items[start:]:
            size = _size(item) + 1
            if size > left and not kept:
                kept.append(self.fit(item, left, f"{at}/{start}"))
                left = 0
            if size > left:
                break
            left -= size
            kept.append(item)
        if start + len(kept) < len(items):
            self.left_out.append(LeftOut(at, start + len(kept), len(items), "items"))
        return kept

    def _fields(self, fields: dict[str, Json], budget: int, at: str, start: int) -> dict[str, Json]:
        names = list(fields)[start:]
        sizes = [_size(fields[name]) for name in names]
        keys = [_size(name) + 2 for name in names]
        left, count = budget - 2, 0
        for size, key in zip(sizes, keys, strict=True):
            left -= key + min(size, _LEAST_FIELD)
            if left < 0:
                break
            count += 1
        largest = _largest(sizes[:count], budget - 2 - sum(keys[:count]))
        kept = {
            name: fields[name] if size <= largest else self.fit(fields[name], largest, f"{at}/{_escaped(name)}")
            for name, size in zip(names[:count], sizes, strict=False)
        }
        if start + count < len(fields):
            self.left_out.append(LeftOut(at, start + count, len(fields), "fields"))
        return kept


def _largest(sizes: Sequence[int], budget: int) -> int:
    """The size to which the large ones have to come down so that all fit, the small ones untouched."""
    left = budget
    for number, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - number)
        if size > share:
            return share
        left -= size
    return budget


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")

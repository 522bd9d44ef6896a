"""Only the fields that were asked for: `items.name`, `owner.*`, lists are looked through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowgate.apis.values import is_list, is_object

Json = Any
_Tree = dict[str, Any]


def project(data: Json, fields: Sequence[str]) -> tuple[Json, tuple[str, ...]]:
    """The data with nothing but these fields, and the ones that are not there."""
    wanted: _Tree = {}
    for field in fields:
        place = wanted
        for step in _steps(field):
            place = place.setdefault(step, {})
    missing = tuple(field for field in fields if not _has(data, _steps(field)))
    return _keep(data, wanted), missing


def _steps(field: str) -> list[str]:
    """Of `items[].name`, `items[*].name`, `$.items.name` and `items.name` alike."""
    plain = field.strip().removeprefix("$").replace("[*]", "").replace("[]", "")
    return [step for step in plain.split(".") if step]


def _has(data: Json, steps: list[str]) -> bool:
    if is_list(data):
        return not data or any(_has(item, steps) for item in data)
    if not steps:
        return True
    if not is_object(data):
        return False
    if steps[0] == "*":
        return any(_has(value, steps[1:]) for value in data.values())
    return steps[0] in data and _has(data[steps[0]], steps[1:])


def _keep(data: Json, wanted: _Tree) -> Json:
    if is_list(data):
        return [_keep(item, wanted) for item in data]
    if not wanted or not is_object(data):
        return data
    return {
        key: _keep(value, wanted.get(key, wanted.get("*", {})))
        for key, value in data.items()
        if key in wanted or "*" in wanted
    }

"""OpenAPI Overlay 1.0: a list of corrections that are laid over a description."""

from __future__ import annotations

from copy import deepcopy
from typing import cast

from knowgate.apis.operation import Json
from knowgate.apis.spec.jsonpath import Node, find
from knowgate.apis.spec.references import Spot
from knowgate.errors import DocumentError

_FIX = "Look at the Overlay specification 1.0; targets are JSONPath with names, indexes, wildcards, .. and filters."


def apply_overlay(description: Json, overlay: Json) -> list[str]:
    """Changes the description in place. Returns the places of actions whose targets were not there."""
    root = Spot(overlay)
    if not str(root.get("overlay") or "").startswith("1.") or not isinstance(root.get("actions"), list):
        raise _wrong("", "is not an Overlay 1.0 with actions")
    missed: list[str] = []
    for action in root.at("actions").each():
        target = action.get("target")
        if not isinstance(target, str):
            raise _wrong(action.place, "has no target")
        try:
            nodes = find(target, description)
        except ValueError as error:
            raise _wrong(f"{action.place}/target", str(error)) from None
        if not nodes:
            missed.append(action.place)
        elif action.get("remove") is True:
            _remove(nodes, action.place)
        elif action.has("update"):
            for node in nodes:
                _update(node, action.get("update"))
    return missed


def _remove(nodes: list[Node], place: str) -> None:
    if any(key is None for _, key, _ in nodes):
        raise _wrong(place, "would remove the whole description")
    once = {(id(holder), key): holder for holder, key, _ in nodes}
    # From the back, so that the indexes of a list stay true.
    for (_, key), holder in sorted(once.items(), key=lambda each: _index(each[0][1]), reverse=True):
        del holder[key]


def _index(key: str | int | None) -> int:
    return key if isinstance(key, int) else -1


def _update(node: Node, update: Json) -> None:
    holder, key, value = node
    if isinstance(value, dict) and isinstance(update, dict):
        _merge(cast("dict[str, Json]", value), cast("dict[str, Json]", update))
    elif isinstance(value, list):
        value.append(deepcopy(update))
    elif key is not None:
        holder[key] = deepcopy(update)


def _merge(into: dict[str, Json], update: dict[str, Json]) -> None:
    for key, value in update.items():
        there = into.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            _merge(cast("dict[str, Json]", there), cast("dict[str, Json]", value))
        elif isinstance(there, list) and isinstance(value, list):
            cast("list[Json]", there).extend(deepcopy(cast("list[Json]", value)))
        else:
            into[key] = deepcopy(value)


def _wrong(place: str, what: str) -> DocumentError:
    return DocumentError("overlay_invalid", f"The overlay {what} at {place or '/'}.", _FIX)

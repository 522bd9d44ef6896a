"""On which line a YAML key stands: the reader knows values, not where they were."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import ryaml

_MARK = "\ue000"


def line_of(text: str, place: Sequence[str | int]) -> int | None:
    """The line, counted from 1, of the key that `place` leads to. Every key of that name is marked with where it
    stands, the text is read again, and the mark that is found in the place says the line."""
    while place and not isinstance(place[-1], str):
        place = place[:-1]
    if not place:
        return None
    key = str(place[-1])
    marked = re.sub(
        rf"(?<![\w-]){re.escape(key)}(?=[\"']?\s*:)", lambda found: f"{key}{_MARK}{found.start()}{_MARK}", text
    )
    try:
        node: Any = ryaml.loads(marked)  # pyright: ignore[reportPrivateImportUsage]
        for part in place[:-1]:
            node = node[part] if isinstance(part, int) else _child(node, part) or node
        offset = next(name for name in node if name.startswith(key + _MARK)).split(_MARK)[1]
        return text.count("\n", 0, int(offset)) + 1
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
        return line_of(text, place[:-1])


def _child(node: Any, key: str) -> Any:
    """What a key leads to; None when a form writes it in a shorter way, without that key."""
    return next((value for name, value in node.items() if name.partition(_MARK)[0] == key), None)

"""On which line a JSON key stands: the parser reads values but forgets where they were."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from knowgate.config.lines import Place

_FILLER = re.compile(r"[ \t\r\n,:]*")


def json_lines(text: str) -> dict[Place, int]:
    """The line, counted from 1, of every key and array item. `text` must be what the parser accepts."""
    lines: dict[Place, int] = {}
    line, last = 1, 0
    for place, at in _Walk(text).value((), _skip(text, 0)):
        line += text.count("\n", last, at)
        last = at
        lines[place] = line
    return lines


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        self.read = json.JSONDecoder().raw_decode

    def value(self, place: Place, at: int) -> Iterator[tuple[Place, int]]:
        """Places inside of the value that begins at `at`; afterwards `end` is behind it."""
        kind = self.text[at]
        if kind not in "{[":
            self.end = self.read(self.text, at)[1]
            return
        at, index = _skip(self.text, at + 1), 0
        while self.text[at] not in "}]":
            name, inside = (index, at) if kind == "[" else self._key(at)
            yield (*place, name), at
            yield from self.value((*place, name), inside)
            at, index = _skip(self.text, self.end), index + 1
        self.end = at + 1

    def _key(self, at: int) -> tuple[str, int]:
        name, end = self.read(self.text, at)
        return name, _skip(self.text, end)


def _skip(text: str, at: int) -> int:
    """Past spaces, and past the commas and colons between values."""
    match = _FILLER.match(text, at)
    return match.end() if match else at

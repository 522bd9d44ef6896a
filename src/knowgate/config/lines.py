"""On which line a TOML key stands: tomllib reads values but forgets where they were."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left

Place = tuple[str | int, ...]
"""The names from the top down to a key; a number is the position in an array."""

_SPACE = re.compile(r"[ \t]*")
_FILLER = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}\n#]+")
# Three quotes end a long string, and up to two more right behind them still belong to it.
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?""""{0,2}'
    r"|'''.*?''''{0,2}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Place, int]:
    """The line, counted from 1, of every key and array item. `text` must be what tomllib accepts."""
    return _Scanner(text.replace("\r\n", "\n")).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.lines: dict[Place, int] = {}
        self.last_table: dict[Place, int] = {}
        """Of each array of tables, the table that headers below it now speak of."""

    def document(self) -> dict[Place, int]:
        table: Place = ()
        self.skip(_FILLER)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.skip(_FILLER)
        return self.lines

    def header(self) -> Place:
        line = self.line()
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        *parents, name = self.key()
        self.at += brackets
        place: Place = ()
        for parent in parents:
            place = (*place, parent)
            self.lines.setdefault(place, line)
            if place in self.last_table:
                place = (*place, self.last_table[place])
        place = (*place, name)
        self.lines.setdefault(place, line)
        if brackets == 1:
            return place
        index = self.last_table[place] = self.last_table.get(place, -1) + 1
        self.lines[(*place, index)] = line
        return (*place, index)

    def pair(self, table: Place) -> None:
        line = self.line()
        place = table
        for name in self.key():
            place = (*place, name)
            self.lines.setdefault(place, line)
        self.at += 1  # the equals sign
        self.skip(_SPACE)
        self.value(place)

    def key(self) -> list[str]:
        names: list[str] = []
        while True:
            self.skip(_SPACE)
            if self.text[self.at] in "\"'":
                names.append(tomllib.loads(f"name = {self.take(_STRING)}")["name"])
            else:
                names.append(self.take(_BARE))
            self.skip(_SPACE)
            if self.text[self.at] != ".":
                return names
            self.at += 1

    def value(self, place: Place) -> None:
        match self.text[self.at]:
            case '"' | "'":
                self.skip(_STRING)
            case "[":
                self.items("]", place)
            case "{":
                self.items("}", place)
            case _:
                self.skip(_SCALAR)

    def items(self, end: str, place: Place) -> None:
        self.at += 1
        index = 0
        self.skip(_FILLER)
        while self.text[self.at] != end:
            if end == "}":
                self.pair(place)
            else:
                self.lines[(*place, index)] = self.line()
                self.value((*place, index))
            self.skip(_FILLER)
            if self.text[self.at] == ",":
                self.at += 1
                self.skip(_FILLER)
            index += 1
        self.at += 1

    def line(self) -> int:
        return bisect_left(self.newlines, self.at) + 1

    def skip(self, pattern: re.Pattern[str]) -> None:
        self.take(pattern)

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise ValueError(f"Unexpected character (at line {self.line()}, column 1)")
        self.at = match.end()
        return match.group()

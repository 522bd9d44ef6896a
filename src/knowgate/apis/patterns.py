"""A text that a regular expression accepts, for examples. Whether it really does is for the caller to check."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PREFERRED = "aA1x0-_.:/ @+#=,bB2"
_CLASSES = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": " \t\n",
}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_LONGEST = 4096


def candidates(pattern: str) -> Iterator[str]:
    """From short to long: open-ended repetitions are taken 0, 1, 2 … times. Nothing, if we cannot read the pattern."""
    seen: set[str] = set()
    for repeats in (1, 0, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 36, 40, 64, 128):
        reader = _Reader(pattern.removeprefix("(?i)"), repeats)
        try:
            text = reader.alternatives()
        except (ValueError, IndexError, RecursionError):
            return
        if reader.at == len(reader.pattern) and text not in seen:
            seen.add(text)
            yield text


class _Reader:
    def __init__(self, pattern: str, repeats: int) -> None:
        self.pattern = pattern
        self.repeats = repeats
        self.at = 0

    def alternatives(self) -> str:
        """The first branch that is not empty; the others are only read past."""
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return next((branch for branch in branches if branch), "")

    def _sequence(self) -> str:
        text = ""
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            text += (self._atom() * self._count())[:_LONGEST]
            if len(text) > _LONGEST:
                raise ValueError("too long for an example")
        return text

    def _count(self) -> int:
        if match := re.compile(r"\{(\d{1,6})(,)?(\d{1,6})?\}").match(self.pattern, self.at):
            least = int(match[1])
            most = int(match[3]) if match[3] else None if match[2] else least
        elif self.at < len(self.pattern) and self.pattern[self.at] in "*+?":
            match = re.compile(r"[*+?]").match(self.pattern, self.at)
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[self.pattern[self.at]]
        else:
            return 1
        self.at = match.end() if match else self.at
        for suffix in "?+":  # lazy and possessive mean the same texts
            self._take(suffix)
        wanted = max(least, self.repeats)
        return wanted if most is None else min(wanted, most)

    def _atom(self) -> str:
        char = self._next()
        if char in "^$":
            return ""
        if char == ".":
            return "a"
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == "\\":
            kind = self._next()
            return "" if kind in "bBAzZ" else _pick(*self._escape(kind))
        return char

    def _group(self) -> str:
        looks = False
        if match := re.compile(r"\?(?:(<?[=!])|:|P?<\w+>|[a-z-]+:|[a-z-]+(?=\)))").match(self.pattern, self.at):
            self.at = match.end()
            looks = match[1] is not None
        text = self.alternatives()
        if not self._take(")"):
            raise ValueError("a group is open")
        return "" if looks else text

    def _class(self) -> str:
        negated = self._take("^")
        ranges = ""
        first = True
        while first or not self._take("]"):
            first = False
            char = self._next()
            if char == "[" and self.pattern.startswith(":", self.at):
                raise ValueError("a POSIX class")
            part, inverted = self._escape(self._next()) if char == "\\" else (re.escape(char), False)
            if inverted:
                return _pick(part, not negated)
            if self.pattern[self.at] == "-" and self.pattern[self.at + 1] != "]" and len(part) <= 2:
                self.at += 1
                end = self._next()
                upper, _ = self._escape(self._next()) if end == "\\" else (re.escape(end), False)
                part = f"{part}-{upper}"
            ranges += part
        return _pick(ranges, negated)

    def _escape(self, kind: str) -> tuple[str, bool]:
        """What is inside of a character class for it, and whether it means all others."""
        if kind.lower() in _CLASSES:
            return _CLASSES[kind.lower()], kind.isupper()
        if kind in "pP" and (match := re.compile(r"\{(\w+)(?:=\w+)?\}").match(self.pattern, self.at)):
            self.at = match.end()
            known = {"L": "a-zA-Z", "Lu": "A-Z", "Ll": "a-z", "N": "0-9", "Nd": "0-9", "Z": " ", "P": "._-"}
            return known.get(match[1], "a-zA-Z"), kind == "P"
        if kind in "ux" and (match := re.compile(r"[0-9A-Fa-f]{2}(?:[0-9A-Fa-f]{2})?").match(self.pattern, self.at)):
            digits = match[0] if kind == "u" else match[0][:2]
            self.at += len(digits)
            return re.escape(chr(int(digits, 16))), False
        if kind in "123456789":
            raise ValueError("a reference back")
        return re.escape(_CONTROLS.get(kind, kind)), False

    def _next(self) -> str:
        self.at += 1
        return self.pattern[self.at - 1]

    def _take(self, char: str) -> bool:
        found = self.pattern.startswith(char, self.at)
        self.at += found
        return found


def _pick(ranges: str, negated: bool) -> str:
    try:
        matches = re.compile(f"[{'^' if negated else ''}{ranges}]").match
    except re.error as error:
        raise ValueError("a character class that we cannot read") from error
    for char in (*_PREFERRED, *map(chr, range(32, 0x250))):
        if matches(char):
            return char
    start = re.sub(r"\\(?=.)", "", ranges)[:1]
    if not start or negated:
        raise ValueError("a character class without usual characters")
    return start

"""YAML that would hurt its reader, seen before it is read: aliases that grow, and brackets that nest without end."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BRACKET = re.compile(r"[\[\]{}]")
_DEEPEST = 128
"""ryaml reads no deeper, but takes quadratic time to say so when brackets are nested by the thousand."""
_MARK = re.compile(r"(?:(?<=[\s\[{,:])|^)([&*])([^\s\[\]{},]+)")
_CLOSED = re.compile(
    r"""\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'(?!')|\[[^\[\]{}"'#]*\]|\{[^\[\]{}"'#]*\}|[^\s"'\[{]|$)"""
)
"""What begins here ends on its line, or ends where the indentation does."""


@dataclass(slots=True)
class _Open:
    name: str
    indent: int
    """Lines that are not further in than this are no longer part of it."""
    list: bool
    """A list under a key may stand as far in as the key."""
    start: int
    extra: int


def expanded_size(text: str) -> int:
    """Characters, at least as many as there will be: the reader writes aliases out, and nobody can stop it."""
    anchors = {mark[2] for mark in _MARK.finditer(text) if mark[1] == "&"}
    if not anchors:
        return len(text)
    sizes = dict.fromkeys(anchors, 0)
    open_: list[_Open] = []
    extra = at = 0
    for line in text.split("\n"):
        words = line.lstrip(" ")
        indent = len(line) - len(words)
        while open_ and words.strip() and _is_over(open_[-1], indent, words):
            done = open_.pop()
            sizes[done.name] = at - done.start + extra - done.extra
        for mark in _MARK.finditer(line):
            if mark[1] == "*":
                extra += max([sizes.get(mark[2], 0), *(at - each.start for each in open_ if each.name == mark[2])])
            elif _CLOSED.match(line, mark.end()):
                own_line = words.startswith(("&", "!"))
                open_.append(_Open(mark[2], indent - own_line, words[:1] != "-", at + mark.start(), extra))
            else:
                # Quotes and brackets may go on at any indentation: take it as long as can be.
                sizes[mark[2]] = len(text)
        at += len(line) + 1
    return len(text) + extra


def too_deep_at(text: str) -> int | None:
    """Where brackets nest deeper than they can be read."""
    if text.count("[") + text.count("{") < 1000:
        return None
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > _DEEPEST:
            return bracket.start()
    return None


def _is_over(each: _Open, indent: int, words: str) -> bool:
    return indent < each.indent or (indent == each.indent and not (each.list and words.startswith("-")))

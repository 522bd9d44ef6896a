"""How large a YAML text becomes when its aliases are written out. The reader does so before anybody can stop it."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    """Characters, at least as many as there will be."""
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


def _is_over(each: _Open, indent: int, words: str) -> bool:
    return indent < each.indent or (indent == each.indent and not (each.list and words.startswith("-")))

"""Lists of parts: "It has three services:" says what the items below it name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowgate.knowledge.extract.kinds import COMPONENTS, Kind, kind_of
from knowgate.knowledge.extract.words import COMMON, NOUNS

_INTRODUCED = re.compile(
    r"\b(?:(?:micro-?|web)?services|components|modules|subsystems|servers|applications|containers|packages"
    r"|(databases|data ?stores|caches)|(queues|topics|brokers)|(teams|squads))\b[^.\n]{0,40}$",
    re.I,
)
_KINDS: tuple[Kind, ...] = ("service", "database", "queue", "team")
_ITEM = re.compile(
    r"^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ ]+"
    r"(?:\[([^\]\n]{2,60})\]\(([^()\n]{0,200})\)|`([^`\n]{2,60})`|\*\*([^*\n]{2,60}?):?\*\*"
    r"|([A-Z][\w-]*(?: [A-Z][\w-]*){0,3}|[a-z]\w*(?:[-_]\w+)+))[ ]*(?:[-–—:][ ]+)?(.*)",
    re.M,
)
_NAMES = (2, 4, 5, 6)
_FOLDER = re.compile(r"([\w-]+)/?(?:(?:README|index)\.\w+)?$", re.I)
_LONGEST = 4


class Listed(NamedTuple):
    name: str
    kind: Kind
    start: int
    end: int
    description: str
    folder: str
    """Where its link leads; empty when it has none."""


def introduced_kind(text: str, start: int, end: int) -> Kind | None:
    """What a text that ends with a plural announces: the kind of the items that follow."""
    last = text[max(start, end - 120) : end].rstrip(" \n:*")
    match = _INTRODUCED.search(last)
    return _KINDS[match.lastindex or 0] if match else None


def listed(text: str, start: int, end: int, before: Kind | None) -> Iterator[Listed]:
    """The parts that a list names; `before` is what the text before this one announces."""
    first = _ITEM.search(text, start, end)
    if not first:
        return
    kind = before if not text[start : first.start()].strip() else introduced_kind(text, start, first.start())
    if kind is None:
        return
    for item in _ITEM.finditer(text, first.start(), end):
        group = next(number for number in _NAMES if item[number])
        name = item[group].strip("`*_ ")
        words = name.lower().split()
        if item[1] == first[1] and 0 < len(words) <= _LONGEST and NOUNS.issuperset(COMMON.intersection(words)):
            own = kind_of(name)
            low = text.find(name, *item.span(group))
            folder = _FOLDER.search(item[3] or "")
            target = folder[1] if folder and "://" not in item[3] else ""
            yield Listed(name, own if own in COMPONENTS else kind, low, low + len(name), item[7], target)

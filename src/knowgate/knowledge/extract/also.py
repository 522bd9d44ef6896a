"""Other names that a text gives to what it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knowgate.knowledge.extract.draft import Name
from knowgate.knowledge.extract.kinds import COMPONENTS, is_technology, kind_of
from knowgate.knowledge.extract.words import COMMON

_INITIALS = re.compile(r"[ \n]?\(([A-Z][A-Z0-9]{1,7})\)")
_INSTANCE = frozenset("server broker database db cluster instance cache".split())
_LINK = re.compile(
    r"\[`?([\w. -]{2,40}?)`?\]\((?![a-z]+:|#)[^()\s]{0,200}?([\w-]{1,60})(?:/|/(?:README|index)\.\w+)?\)", re.I
)
_DEFINED = re.compile(
    r"[-*+][ ]+\[?[`*]{0,3}([\w-]{1,60})[`*]{0,3}(?:\]\([^()\s]{0,200}\))?[ ]*[-–:][ ]+((?:\w+ ){1,2}\w+)\.?(?:\n|$)"
)


def other_names(text: str, start: int, end: int, names: Sequence[Name]) -> Iterator[tuple[str, str]]:
    """Pairs of names for one thing."""
    yield from _initials(text, names)
    for each in names:
        # A "Kafka broker" is Kafka.
        first, _, last = each.text.partition(" ")
        if last.lower() in _INSTANCE and is_technology(first):
            yield each.text, first
    if "](" in text[start:end]:
        yield from _linked(text, start, end)
    for item in _DEFINED.finditer(text, start, end):
        known = kind_of(item[1]) in COMPONENTS and kind_of(item[2]) in COMPONENTS
        if known and item[2].split()[0].lower() not in COMMON:
            yield item[1], item[2]


def _initials(text: str, names: Sequence[Name]) -> Iterator[tuple[str, str]]:
    """Google Kubernetes Engine (GKE)."""
    for each in names:
        if " " in each.text and (match := _INITIALS.match(text, each.end)):
            initials = "".join(word[0] for word in each.text.split() if word[0].isupper())
            if len(initials) > 1 and match[1].startswith(initials):
                yield each.text, match[1]


def _linked(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """What a link to a part's folder is called is another name of that part."""
    for link in _LINK.finditer(text, start, end):
        if text[link.start() - 1 : link.start()] != "!" and kind_of(link[2]) in COMPONENTS and len(link[1].split()) < 4:
            yield link[2], link[1]

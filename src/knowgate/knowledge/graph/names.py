"""What a document's passages are about: the names under which other passages may lead to them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from knowgate.knowledge.graph.words import SHORTEST_KEY, count_words, name_key, read_words
from knowgate.model import Chunk, Parsed
from knowgate.store.port import Name
from knowgate.store.words import STOP_WORDS

_BRACKETS = re.compile(r"\s*\([^()]*\)")
_NUMBERING = re.compile(r"\d+(?:\.\d+)*[.)]\s+|\d+(?:\.\d+)+\s+")
_DEFINITION = re.compile(
    r"\s*([^\W_][^\s(),;:]*(?:\s+[^\s(),;:]+){0,6}?)\s*(?:\(|,?\s+(?:is|was|are|were)\s+(?:an?|the|one)\b)"
)
_FIRST_SENTENCE = 300
_LONGEST_NAME = 10
"""In words; longer headings are sentences."""
_LONGEST_TITLE = 6
"""In words, of a title that a definition may spell in another way."""


def document_names(parsed: Parsed, title: str, chunks: Sequence[Chunk]) -> list[Name]:
    """All names that a document defines, from its title and headings; nothing but the document is needed to tell."""
    starts = [chunk.start for chunk in chunks]
    found: dict[tuple[str, int], float] = {}
    for name, place, end in _titles(parsed, title):
        ordinal = max(0, bisect_right(starts, place) - 1)
        if not chunks:
            break
        for key, weight in title_names(name, parsed.text[end : end + _FIRST_SENTENCE]).items():
            found[key, ordinal] = max(weight, found.get((key, ordinal), 0.0))
    return [Name(key, ordinal, weight) for (key, ordinal), weight in found.items()]


def title_names(title: str, body: str = "") -> dict[str, float]:
    """The spellings that mean what the title means, and how surely.

    A title that needs brackets or more after a comma to tell it from others is not surely meant by its bare form, least
    of all when that is a single word: not every president is the page "President (corporate title)".
    """
    found: dict[str, float] = {}

    def put(name: str, several_words: float, one_word: float) -> None:
        key, words = name_key(name), count_words(name)
        weight = several_words if words > 1 else one_word
        long_enough = words > 1 or len(key) >= SHORTEST_KEY
        if weight and words <= _LONGEST_NAME and long_enough and _telling(name):
            found[key] = max(weight, found.get(key, 0.0))

    title = _NUMBERING.sub("", title, count=1) if _NUMBERING.match(title) else title
    bare = _BRACKETS.sub("", title)
    put(title, 1.0, 1.0)
    put(bare, 0.9, 0.7)
    first, _, rest = bare.partition(",")
    # "Waterford, New York", but not "Diabetes, obesity and age".
    if rest.strip() and not rest.strip()[0].islower():
        put(first, 0.6, 0.5)
    definition = _DEFINITION.match(body) if count_words(title) <= _LONGEST_TITLE else None
    # What the first sentence calls it: "Timothy Perry Shriver (born 1959)" below "Timothy Shriver".
    if definition and not definition[1][0].islower() and _telling(definition[1]) & _telling(title):
        put(definition[1], 0.7, 0.0)
    return found


def _titles(parsed: Parsed, title: str) -> Iterator[tuple[str, int, int]]:
    """(name, where it stands, where what it names begins)"""
    if title:
        first = parsed.blocks[0] if parsed.blocks else None
        yield title, 0, first.end if first and first.kind == "heading" else 0
    for block in parsed.blocks:
        if block.kind == "heading":
            yield parsed.text[block.start : block.end], block.start, block.end


def _telling(name: str) -> set[str]:
    return {word.folded for word in read_words(name)} - STOP_WORDS

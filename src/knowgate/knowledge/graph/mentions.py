"""Which names a text may mention, and the words around them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from knowgate.knowledge.graph.words import ARTICLES, LONGEST_KEY, SHORTEST_KEY, Word
from knowgate.store.words import STOP_WORDS

_LONGEST_NAME = 8
"""In words."""
_MOST_SPANS = 1000
"""Of one passage, so that scripts in which every word may begin a name cost no more than others."""
_NEARBY = 25
_HALF_WAY = 6
_TELLING = 5


class Span(NamedTuple):
    """A run of words, `words[first:last]`, that may be a name."""

    key: str
    first: int
    last: int


def spans(words: Sequence[Word], longest: int = _LONGEST_NAME) -> list[Span]:
    """Every run that begins like a name; what of it is one, only the index knows."""
    found: list[Span] = []
    for first, begin in enumerate(words):
        if not begin.may_begin:
            continue
        key = ""
        telling = False
        for last, word in enumerate(words[first : first + longest], first + 1):
            if word.sentence != begin.sentence:
                break
            telling = telling or word.folded not in STOP_WORDS
            if last == first + 1 and word.folded in ARTICLES:
                continue
            key += word.folded
            if telling and (last > first + 1 or len(key) >= SHORTEST_KEY):
                found.append(Span(key[:LONGEST_KEY], first, last))
                if word.possessive:
                    found.append(Span(key[:-1][:LONGEST_KEY], first, last))
        if len(found) >= _MOST_SPANS:
            break
    return found


def is_plain(words: Sequence[Word], span: Span) -> bool:
    """Whether it is a single word that may as well be no name."""
    return span.last == span.first + 1 and not words[span.first].coined


def begins_sentence(words: Sequence[Word], span: Span) -> bool:
    return span.first == 0 or words[span.first - 1].sentence != words[span.first].sentence


def longest_known(found: Iterable[Span], known: Container[str]) -> list[Span]:
    """From left to right, of all names that begin at a word the longest; names do not overlap."""
    best: dict[int, Span] = {}
    for span in found:
        if span.key in known and (span.first not in best or span.last > best[span.first].last):
            best[span.first] = span
    chosen: list[Span] = []
    for first in sorted(best):
        if not chosen or first >= chosen[-1].last:
            chosen.append(best[first])
    return chosen


def telling(words: Sequence[Word], names: Sequence[Span]) -> frozenset[str]:
    """The beginnings of a question's words that are neither part of a name nor said in every question."""
    inside = {place for span in names for place in range(span.first, span.last)}
    return frozenset(
        beginning(word.folded)
        for place, word in enumerate(words)
        if place not in inside and word.folded not in STOP_WORDS
    )


def near(words: Sequence[Word], span: Span) -> dict[str, float]:
    """The words of the sentence around a mention, by their beginnings; 1 beside it, half of that six words away."""
    found: dict[str, float] = {}
    for place in range(max(0, span.first - _NEARBY), min(len(words), span.last + _NEARBY)):
        if words[place].sentence != words[span.first].sentence or span.first <= place < span.last:
            continue
        away = max(span.first - place, place - span.last + 1) - 1
        word = beginning(words[place].folded)
        found[word] = max(found.get(word, 0.0), 1 / (1 + away / _HALF_WAY))
    return found


@lru_cache(maxsize=100_000)
def beginning(folded: str) -> str:
    """Enough of a word for "calls" to meet "called", and "director" to meet "directed"."""
    return _stemmer()(folded)[:_TELLING]


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    import Stemmer  # pyright: ignore[reportMissingTypeStubs]

    return cast(Callable[[str], str], Stemmer.Stemmer("english").stemWord)  # pyright: ignore[reportUnknownArgumentType]

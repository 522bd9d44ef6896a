"""How text becomes the terms that full text search counts.

Words are case-folded, freed of accents and stemmed; `AuthService` also counts as `auth` and `service`. Scripts written
without spaces (Chinese, Japanese, Thai …) become pairs of characters, which finds words without knowing any.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast
from zlib import crc32

# Scripts without spaces between words: Thai to Myanmar, Khmer, and from the CJK radicals to the end of Hangul, with
# single jamo and the half-width forms. Korean does use spaces, but glues particles to its words, and pairs of syllables
# see through that.
_SPACELESS = (
    "\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fff\u3005-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uffdc"
    "\U00020000-\U0003ffff"
)
# Accents, and the points of Hebrew and Arabic: there or not, it is the same word.
_POINTS = "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
# Vowel signs are marks, not letters, to `\w`; without them Hindi words fall to pieces. The danda ends a sentence.
_MARKS = _POINTS + "\u0900-\u0963\u0966-\u096f\u0971-\u0df3"
_TOKEN = re.compile(rf"[{_SPACELESS}]+|[^\W_{_SPACELESS}]+(?:[{_MARKS}]+[^\W_{_SPACELESS}]*)*")
_IS_SPACELESS = re.compile(rf"[{_SPACELESS}]")
_IS_POINT = re.compile(rf"[{_POINTS}]")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_REMEMBERED = 200_000
_LONGEST_WORD = 100
"""Further letters do not count: words are kept in a cache, and what is longer is none."""

STOP_WORDS = frozenset(
    (
        "a an and are as at be been being but by can could did do does for from had has have how i if in into is it its"
        " may me might must my no not of on or our should so such than that the their them then there these they this"
        " those to us was we were what when where which who whom why will with would you your about"
    ).split()
)


def find_terms(text: str, wanted: frozenset[int]) -> list[tuple[int, int]]:
    """Where words that count as one of the wanted terms stand in the text."""
    found: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if not wanted.isdisjoint(_TERMS[token]):
            start = match.start()
            found += _pairs(token, start, wanted) if _IS_SPACELESS.match(token) else [(start, match.end())]
    return found


def _pairs(run: str, start: int, wanted: frozenset[int]) -> list[tuple[int, int]]:
    """In a script without spaces only the pairs that were asked for are meant, not the sentence around them."""
    found: list[tuple[int, int]] = []
    for place in range(max(1, len(run) - 1)):
        if wanted.isdisjoint(_TERMS[run[place : place + 2]]):
            continue
        if found and found[-1][1] >= start + place:
            found[-1] = (found[-1][0], start + place + 2)
        else:
            found.append((start + place, min(start + place + 2, start + len(run))))
    return found


def text_terms(text: str) -> list[int]:
    """All terms of a passage, repeated as often as they occur."""
    return [term for token in _TOKEN.findall(text) for term in _TERMS[token]]


def query_terms(query: str) -> list[int]:
    """The distinct terms of a question, without the words that say nothing, unless there are no others."""
    tokens = _TOKEN.findall(query)
    telling = [token for token in tokens if token.lower() not in STOP_WORDS]
    return list(dict.fromkeys(term for token in telling or tokens for term in _TERMS[token]))


class _Terms(dict[str, Sequence[int]]):
    """The terms of words met before. Most words of a text are among them, and then one look-up is all it takes."""

    def __missing__(self, token: str) -> Sequence[int]:
        if _IS_SPACELESS.match(token):
            token = unicodedata.normalize("NFKC", token)
            return [_number(token[i : i + 2]) for i in range(len(token) - 1)] or [_number(token)]
        terms = _word_terms(token[:_LONGEST_WORD])
        if len(token) <= _LONGEST_WORD:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[token] = terms
        return terms


_TERMS = _Terms()


def _word_terms(token: str) -> tuple[int, ...]:
    spellings = [token]
    if not (token.islower() or token.isupper() or token[1:].islower()):
        humps = _HUMP.findall(token)
        if len(humps) > 1:
            spellings += [hump for hump in humps if len(hump) > 1]
    stem = _stemmer()
    return tuple(dict.fromkeys(_number(stem(_fold(spelling))) for spelling in spellings))


def _fold(token: str) -> str:
    if token.isascii():
        return token.lower()
    decomposed = unicodedata.normalize("NFKD", token.casefold())
    return _IS_POINT.sub("", decomposed) or token


def _number(term: str) -> int:
    # A hash instead of a dictionary: no table of terms to keep in step. Of a million terms some hundred share a number.
    return crc32(term.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    import Stemmer  # pyright: ignore[reportMissingTypeStubs]

    return cast(Callable[[str], str], Stemmer.Stemmer("english").stemWord)  # pyright: ignore[reportUnknownArgumentType]

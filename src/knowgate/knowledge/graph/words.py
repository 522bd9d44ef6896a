"""A text as the words that names are made of."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_WORD_AND_GAP = re.compile(rf"({_WORD.pattern})([\W_]*)")
_POSSESSIVE = ("'s", "’s", "'S", "’S")
_QUOTES = ("`", '"', "“", "«", "„", "'")
_JOINTS = ("-", "_")
_INITIAL = 2
"""A full stop after so few letters is no end of a sentence: "Mr. Fix-It", "Fred F. Sears"."""
ARTICLES = frozenset({"a", "an", "the"})
LONGEST_KEY = 100
SHORTEST_KEY = 4
"""Of a name of one word."""


class Word(NamedTuple):
    folded: str
    sentence: int
    may_begin: bool
    """Whether it looks like the first word of a name; in scripts without case, which give no hint, all words do."""
    possessive: bool
    coined: bool
    """Whether its spelling alone says that it is a name: LedgerService, NATO, S3."""


def read_words(text: str) -> list[Word]:
    words: list[Word] = []
    sentence = 0
    before = text[:1]
    for word, gap in _WORD_AND_GAP.findall(text):
        if folded := fold(word):
            coined = _is_coined(word)
            begins = coined or not word[0].islower() or gap in _JOINTS or before[-1:] in _QUOTES
            words.append(Word(folded, sentence, begins, word.endswith(_POSSESSIVE), coined))
        if gap != " " and _ends_sentence(word, gap):
            sentence += 1
        before = gap
    return words


def fold(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    if not (text.isascii() and text.isalnum()):
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        return "".join(letter for letter in plain if letter.isalnum())
    return text.lower()


def name_key(text: str) -> str:
    """What all spellings of a name share: `LedgerService`, "ledger-service" and "The Ledger Service" are one."""
    words = [fold(word) for word in _WORD.findall(text)]
    rest = words[1:] if len(words) > 1 and words[0] in ARTICLES else words
    return "".join(rest)[:LONGEST_KEY]


def count_words(text: str) -> int:
    """Without the article that a name may begin with."""
    words = _WORD.findall(text)
    return len(words) - (len(words) > 1 and words[0].lower() in ARTICLES)


def _is_coined(word: str) -> bool:
    if "'" in word or "’" in word:
        return False
    return word[1:] != word[1:].lower() or (word[-1].isdigit() and word[0].isalpha())


def _ends_sentence(word: str, gap: str) -> bool:
    if "\n" in gap:
        return True
    return len(word) > _INITIAL and gap[:1] in (".", "!", "?") and gap[-1].isspace()

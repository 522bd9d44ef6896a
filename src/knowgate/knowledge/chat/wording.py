"""What a question asks for: its words, what they weigh, and of what kind the answer must be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from knowgate.knowledge.chat.contrast import DENIALS, NEGATIONS
from knowgate.store.words import STOP_WORDS, find_terms, text_terms

Kind = Literal["who", "when", "where", "number", "other"]

_FRAME = STOP_WORDS | frozenset(
    (
        "many much kind kinds type types sort name names named called term also used use one some any other others"
        " whose s t d m ll re ve don didn doesn isn aren wasn weren hasn hadn haven won couldn wouldn shouldn cannot"
        " tell show give explain describe list please find between during know want need"
    ).split()
)
"""Words that carry a question but are not its subject."""
_ASKING = frozenset("who whom whose when where why how what which".split())
_AFTER_HOW = frozenset("many much old long far tall large big often high fast deep late early soon".split())
_HEADS: dict[str, Kind] = {
    **dict[str, Kind].fromkeys("year years date day month century decade".split(), "when"),
    **dict[str, Kind].fromkeys("percentage percent number amount age population price size".split(), "number"),
}
_KINDS: dict[str, Kind] = {"who": "who", "whom": "who", "when": "when", "where": "where"}
_NUMBER = frozenset(
    (
        "no none one two three four five six seven eight nine ten eleven twelve dozen dozens hundred hundreds thousand"
        " thousands million millions billion half third quarter twice once first several both all few many most never"
        " always every daily weekly free"
    ).split()
)
_TIME = frozenset(
    (
        "january february march april may june july august september october november december monday tuesday wednesday"
        " thursday friday saturday sunday century centuries bc ad today yesterday night nightly morning noon midnight"
        " evening daily weekly monthly yearly spring summer autumn winter after before when while during until once"
        " every always never immediately within minute minutes hour hours day days week weeks month months year years"
    ).split()
)
_ROLE = frozenset(
    (
        "administrator administrators admin admins agent agents analyst anyone approver architect assistant author"
        " authors board buyer carrier clerk client clients colleague colleagues committee company consultant"
        " controller coordinator council courier crew customer customers department designer developer developers"
        " director doctor driver editor employee employees engineer engineers everybody everyone expert government"
        " group guest head holder host lawyer lead leader leaders maintainer maintainers manager managers member"
        " members minister moderator nobody nurse officer operator operators organisation organization owner owners"
        " parent parents partner patient people person president publisher receptionist recipient reporter reviewer"
        " secretary seller sender somebody someone sponsor staff student students supervisor supplier support teacher"
        " team teams technician tenant user users vendor visitor volunteer volunteers worker workers"
    ).split()
)
_PLACE = frozenset("in at on under inside near below above behind beside into through via from to".split())
_ENGLISH = 0.2
"""From this share of stop words on. English questions have twice as many, German ones hardly any."""
_PAIR = 2
_DIGIT = re.compile(r"\d")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|s)$")
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve".split()
_RANKED = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth".split()
_VALUES = {word: str(value) for words in (_COUNTED, _RANKED) for value, word in enumerate(words)}


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    low: str
    terms: frozenset[int]
    first: bool
    """Whether it opens the text, where a capital says nothing."""

    @property
    def empty(self) -> bool:
        return self.low in _FRAME

    @property
    def number(self) -> str:
        """What it counts, as digits; empty when it is no number."""
        if _DIGIT.search(self.low):
            return _ORDINAL.sub("", self.low)
        return _VALUES.get(self.low, "")


def words(text: str) -> list[Word]:
    """The words that full text search would see; in scripts without spaces, pairs of characters."""
    found: list[Word] = []
    for start, end in find_terms(text, frozenset(text_terms(text))):
        for part in _parts(text[start:end]):
            found.append(Word(part, part.lower(), frozenset(text_terms(part)), not found))
    return found


def _parts(token: str) -> Iterator[str]:
    terms = text_terms(token)
    if len(terms) > 1 and len(terms) == len(token) - 1 and not token.isascii():
        yield from (token[place : place + 2] for place in range(len(terms)))
    else:
        yield token


@dataclass(frozen=True)
class Question:
    text: str

    @cached_property
    def words(self) -> list[Word]:
        return words(self.text)

    @cached_property
    def content(self) -> list[Word]:
        """What it is about: all that a passage should speak of. Never empty unless the question is."""
        return [word for word in self.words if not word.empty] or self.words

    @cached_property
    def terms(self) -> frozenset[int]:
        return frozenset(term for word in self.words for term in word.terms)

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question at all; keywords and "tell me about …" only name a subject."""
        return self.text.rstrip().endswith(("?", "？", "؟")) or any(asks(word) for word in self.words)

    def names(self, word: Word) -> bool:
        """Whether a word of it is part of a name. A capital tells nothing in German, where all nouns have one."""
        return self.english and word.text[0].isupper() and not word.first

    @cached_property
    def paired(self) -> bool:
        """Whether it is written without spaces, so that most of its words are pairs of characters."""
        pairs = sum(len(word.text) == _PAIR and not word.text.isascii() for word in self.words)
        return pairs * 2 > len(self.words)

    @cached_property
    def english(self) -> bool:
        return sum(word.low in STOP_WORDS for word in self.words) >= _ENGLISH * len(self.words)

    @cached_property
    def negated(self) -> bool:
        return _contracted(self.text) or any(word.low in NEGATIONS for word in self.words)

    @cached_property
    def kind(self) -> Kind:
        low = [word.low for word in self.words]
        for place, word in enumerate(low):
            following = low[place + 1 : place + 3]
            if word == "how":
                return "number" if following and following[0] in _AFTER_HOW else "other"
            if word in ("what", "which"):
                heads: list[Kind] = [_HEADS[each] for each in following if each in _HEADS]
                return heads[0] if heads else "other"
            if word in _KINDS:
                return _KINDS[word]
        return "other"


def asks(word: Word) -> bool:
    return word.low in _ASKING


def denies(text: str, found: Sequence[Word]) -> bool:
    """Whether a sentence says that something is not so."""
    return _contracted(text) or any(word.low in DENIALS for word in found)


def _contracted(text: str) -> bool:
    return "n't" in text or "n’t" in text


def may_answer(kind: Kind, word: Word) -> bool:
    """Whether a word can be part of an answer of this kind."""
    if kind == "number":
        return bool(word.number) or word.low in _NUMBER
    if kind == "when":
        return bool(word.number) or word.low in _TIME
    if (kind == "who" and word.low in _ROLE) or (kind == "where" and word.low in _PLACE):
        return True
    return kind == "other" or word.text[0].isupper() or not word.text.isascii()

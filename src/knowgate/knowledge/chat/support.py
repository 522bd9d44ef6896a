"""How well a sentence supports an answer to a question: signals that can each be explained, as numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from knowgate.knowledge.chat.contrast import opposes
from knowgate.knowledge.chat.sentences import Unit, units
from knowgate.knowledge.chat.wording import Question, Word, asks, denies, may_answer, words
from knowgate.model import Hit
from knowgate.store.words import find_terms, text_terms

_SPOKEN_OF_EVERYWHERE = 0.2
"""What a word weighs that stands in every passage."""
_NAME = 1.3
"""Names and numbers tell more than other words."""
_INFLECTED, _ENDING, _SLIP = 5, 3, 0.8
"""From how many letters on words may differ, in how many at the end, and how alike they must be else."""
_AROUND, _SCORE = 0.5, 0.6
_RELATED_WORDS, _RELATED_SCORE = 0.5, 0.3
"""Questions put to documents about other things stay below both, answerable ones hardly ever do."""
_RELATED_PAIRS = 0.12
"""Pairs of characters across words are found nowhere, so that shares and scores are far lower."""
_FOREIGN_WORDS = 0.22
"""Of another language we do not know which words say nothing, and they raise every score."""
_SHORT = 3
"""Questions with fewer words are not taken for less of a question."""
_MOST = 2.0
"""Counts end here: the third missing name says no more than the second."""


@dataclass(frozen=True, slots=True)
class Signals:
    here: float
    """Share of the question's words, by weight, in the sentence and the headings right above it."""
    near: float
    """There, in its neighbours and in the headings of the passage."""
    names: float
    """How many of the question's names are not near."""
    numbers: float
    """1 when a number of the question is not near."""
    opposite: float
    """`here` when the sentence has the opposite of one of the question's words, else 0."""
    negation: float
    """1 when the question negates and the sentence does not."""
    negated: float
    """1 when the question negates at all, which few sentences answer."""
    order: float
    """Share of the question's words that stand in the sentence in the same order."""
    kind: float
    """1 when nothing in the sentence is of the kind asked for."""
    size: float
    """Of the question, as a logarithm: the more it says, the more its words prove."""
    score: float
    """The passage's, from search."""
    unrelated: float
    """1 when neither its words nor its score speak for the passage: it is about something else."""
    always: float = 1.0
    """So that a constant is a weight like the others."""
    cosine: float = 0.0
    """Of the sentence's vector with the question's, where there are vectors."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit, read for one question."""

    hit: Hit
    units: list[Unit]
    found: list[frozenset[int]]
    """Which of the question's terms each unit holds."""
    path: frozenset[int]
    """And the headings above the passage."""

    def here(self, place: int) -> frozenset[int]:
        """A row means little without the head of its table, an answer without the question above it."""
        return self.found[place].union(*(self.found[each] for each in self.units[place].above))

    def near(self, place: int) -> frozenset[int]:
        around = {place - 1, place, place + 1, *self.units[place].above}
        return self.path.union(*(self.found[each] for each in around if 0 <= each < len(self.found)))

    def all(self) -> frozenset[int]:
        return self.path.union(*self.found)

    def quotable(self) -> list[int]:
        """Headings are no answers, unless there is nothing else."""
        places = range(len(self.units))
        return [place for place in places if not self.units[place].heading] or list(places)

    def text(self, place: int) -> str:
        return self.hit.chunk.text[self.units[place].start : self.units[place].end]


def read(question: Question, hit: Hit) -> Passage:
    text = hit.chunk.text
    found = units(text)
    terms: list[set[int]] = [set() for _ in found]
    place = 0
    for start, end in find_terms(text, question.terms):
        while place < len(found) and found[place].end <= start:
            place += 1
        if place < len(found) and found[place].start <= start:
            terms[place].update(question.terms.intersection(text_terms(text[start:end])))
    path = question.terms.intersection(text_terms(" ".join(hit.chunk.headings)))
    return Passage(hit, found, [frozenset(each) for each in terms], path)


def weigh(question: Question, passages: Sequence[Passage]) -> list[float]:
    """What each word of the question's content tells: the more, the fewer of the passages have it."""
    held = [passage.all() for passage in passages]

    def weight(word: Word) -> float:
        spoken = sum(not word.terms.isdisjoint(terms) for terms in held)
        rarity = math.log((len(held) + 1) / (spoken + 0.5))
        return (_SPOKEN_OF_EVERYWHERE + rarity) * (_NAME if question.names(word) or word.number else 1.0)

    return [weight(word) for word in question.content]


def coverage(question: Question, weights: Sequence[float], passage: Passage, place: int) -> float:
    """A first guess how good a sentence is: the words it holds, those around it, and the passage's score."""
    here, near = passage.here(place), passage.near(place)
    held = sum(
        weight * ((not word.terms.isdisjoint(here)) + _AROUND * (not word.terms.isdisjoint(near)))
        for weight, word in zip(weights, question.content, strict=True)
    )
    return held / (sum(weights) or 1.0) + _SCORE * passage.hit.score


def signals(question: Question, weights: Sequence[float], passage: Passage, place: int) -> Signals:
    content = question.content
    sentence = words(passage.text(place))
    here, near = passage.here(place), passage.near(place)
    spelled = [word.low for word in sentence]
    alike = [not word.terms.isdisjoint(here) or _alike(word.low, spelled) for word in content]
    close = [held or not word.terms.isdisjoint(near) for held, word in zip(alike, content, strict=True)]
    total = sum(weights) or 1.0

    def share(holds: Sequence[bool]) -> float:
        return sum(weight for weight, held in zip(weights, holds, strict=True) if held) / total

    numbers = {word.number for word in sentence if word.number}
    lost = [
        word
        for word, held in zip(content, close, strict=True)
        if word.number and not held and word.number not in numbers
    ]
    new = [word for word in sentence if word.terms.isdisjoint(question.terms)]
    order = _order(question, sentence)
    return Signals(
        here=share(alike),
        near=share(close),
        names=min(_MOST, sum(question.names(word) and not held for word, held in zip(content, close, strict=True))),
        numbers=float(bool(lost)),
        opposite=share(alike) * _opposed(question, here, sentence),
        negation=float(question.negated and not denies(passage.text(place), sentence)),
        negated=float(question.negated),
        order=order,
        kind=float(not any(may_answer(question.kind, word) for word in new)),
        size=math.log(max(len(content), _SHORT) + 1),
        score=passage.hit.score,
        unrelated=float(_unrelated(question, share(close), passage.hit.score)),
    )


def _unrelated(question: Question, near: float, score: float) -> bool:
    if question.paired:
        return near < _RELATED_PAIRS
    if not question.english and near < _FOREIGN_WORDS:
        return True
    return near < _RELATED_WORDS and score < _RELATED_SCORE


def _opposed(question: Question, here: frozenset[int], sentence: Sequence[Word]) -> bool:
    """What follows "what" or "how" only says what is asked for, and has no opposite."""
    new = frozenset(term for word in sentence for term in word.terms) - question.terms
    others = {word.low for word in sentence}
    return any(
        word.terms.isdisjoint(here)
        and not asks(word)
        and not (place and asks(question.words[place - 1]))
        and opposes(word.low, word.terms, new, others)
        for place, word in enumerate(question.words)
    )


def _order(question: Question, sentence: Sequence[Word]) -> float:
    asked = [min(word.terms) for word in question.words if not asks(word)]
    said = [min(word.terms) for word in sentence]
    blocks = SequenceMatcher(None, asked, said, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(question.words))


def _alike(word: str, others: Sequence[str]) -> bool:
    """Whether one of the others is another form or a slip of the word: the same beginning, or a letter or two wrong."""
    return len(word) >= _INFLECTED and any(
        len(other) >= _INFLECTED - 1 and other[0] == word[0] and (_same_root(word, other) or _slip(word, other))
        for other in others
    )


def _same_root(word: str, other: str) -> bool:
    shared = max(_INFLECTED - 1, min(len(word), len(other)) - _ENDING)
    return word[:shared] == other[:shared]


def _slip(word: str, other: str) -> bool:
    return (
        len(word) > _INFLECTED
        and abs(len(word) - len(other)) <= 1
        and SequenceMatcher(None, word, other).ratio() >= _SLIP
    )

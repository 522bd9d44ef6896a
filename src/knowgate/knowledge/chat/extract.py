"""An answer without a language model: the sentences that answer, or none when the documents do not.

Every sentence of the passages is ranked by signals of `support.py`, and how far the best one can be trusted is their
weighted sum once more. Both sets of weights were fitted by `python -m bench.chat_fit`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from knowgate.knowledge.chat.sentences import Unit
from knowgate.knowledge.chat.support import Passage, Signals, coverage, read, signals, weigh
from knowgate.knowledge.chat.weights import RANK, TRUST, TRUST_WORDS, UNRELATED
from knowgate.knowledge.chat.wording import Question
from knowgate.model import Hit

if TYPE_CHECKING:
    from knowgate.knowledge.embed.port import Embedder

QUOTES = 3
CANDIDATES = 10
"""How many sentences are looked at closely, and embedded."""
THRESHOLD = 0.67
"""From this confidence on the passages answer a question. `python -m bench.chat` shows what others would do."""
TOPIC_THRESHOLD = 0.5
"""The same for keywords and requests: they cannot ask for what is not said, only name what is not spoken of."""
CALIBRATED = "all-MiniLM-L6-v2"
"""The model whose cosines the weight of `cosine` was fitted for; other models have other scales."""
FLUENT = 0.6
"""An embedder that knows less than this share of the question's words as words does not understand it well enough."""
_ALSO = 1.0
"""How far behind the best, in rank, a sentence may be to be quoted too."""
_SPREAD = 0.02
"""Cosines that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class Quote:
    hit: int
    """Index into the hits."""
    start: int
    end: int
    """`chunk.text[start:end]` is quoted."""


@dataclass(frozen=True, slots=True)
class Extract:
    quotes: tuple[Quote, ...]
    """Best first, at most three; empty when the documents do not answer."""
    confidence: float
    """0 to 1 that the passages answer the question."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer: which passage, which of its units, and what speaks for it."""

    hit: int
    place: int
    passage: Passage
    signals: Signals

    @property
    def unit(self) -> Unit:
        return self.passage.units[self.place]

    @property
    def text(self) -> str:
        return self.passage.text(self.place)


def extract(question: str, hits: Sequence[Hit], embedder: Embedder | None) -> Extract:
    asked = Question(question)
    if embedder and embedder.fluency(question) < FLUENT:
        embedder = None
    found = candidates(asked, hits, embedder)
    if not found:
        return Extract((), 0.0)
    confidence = trust(found[0].signals, calibrated=embedder is not None and embedder.identity.model == CALIBRATED)
    if confidence < (THRESHOLD if asked.asks else TOPIC_THRESHOLD):
        return Extract((), confidence)
    best = rank(found[0].signals)
    quoted = [each for each in found if rank(each.signals) >= best - _ALSO][:QUOTES]
    return Extract(tuple(Quote(each.hit, each.unit.start, each.unit.end) for each in quoted), confidence)


def candidates(question: Question, hits: Sequence[Hit], embedder: Embedder | None) -> list[Candidate]:
    """The sentences that may answer, best first."""
    passages = [read(question, hit) for hit in hits]
    weights = weigh(question, passages)
    places = [
        (coverage(question, weights, passage, place), number, place)
        for number, passage in enumerate(passages)
        for place in passage.quotable()
    ]
    chosen = sorted(places, key=lambda each: (-each[0], *each[1:]))[:CANDIDATES]
    found = [
        Candidate(number, place, passages[number], signals(question, weights, passages[number], place))
        for _, number, place in chosen
    ]
    if embedder and found:
        found = _compared(question, found, embedder)
    return sorted(found, key=lambda each: -rank(each.signals))


def rank(of: Signals) -> float:
    return _weighed(RANK, of)


def trust(of: Signals, calibrated: bool) -> float:
    table = TRUST if calibrated else TRUST_WORDS
    odds = table[""] + _weighed(table, of) + UNRELATED * of.unrelated
    return 1 / (1 + math.exp(-odds))


def _weighed(weights: Mapping[str, float], of: Signals) -> float:
    return sum(weight * getattr(of, name) for name, weight in weights.items() if name)


def _compared(question: Question, found: Sequence[Candidate], embedder: Embedder) -> list[Candidate]:
    """With what the question and each sentence have in common in meaning: as it is, and against the other sentences."""
    cosines = embedder.embed_passages([each.text for each in found]) @ embedder.embed_query(question.text)
    middle, spread = float(cosines.mean()), max(_SPREAD, float(cosines.std()))
    return [
        replace(each, signals=replace(each.signals, cosine=float(cosine), meaning=(float(cosine) - middle) / spread))
        for each, cosine in zip(found, cosines, strict=True)
    ]

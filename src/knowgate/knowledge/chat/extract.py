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
from knowgate.knowledge.chat.weights import RANK, RANK_WORDS, TRUST, TRUST_WORDS, UNRELATED
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
"""The same for keywords and requests, which name a subject but ask nothing about it that could be missing, and for
other languages, in which the signs that something is missing are not known."""
CALIBRATED = "all-MiniLM-L6-v2"
"""The model whose cosines the weight of `cosine` was fitted for; other models have other scales."""
FLUENT = 0.6
"""An embedder that knows less than this share of the question's words as words does not understand it well enough."""
_ALSO = 1.0
"""How far behind the best, in rank, a sentence may be to be quoted too."""


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
    order = RANK if embedder else RANK_WORDS
    ranked = sorted(((weighed(order, each.signals), each) for each in found), key=lambda pair: -pair[0])
    best, first = ranked[0]
    known = embedder is not None and embedder.identity.model == CALIBRATED
    confidence = trust(TRUST if known else TRUST_WORDS, first.signals)
    if confidence < (THRESHOLD if asked.asks and asked.english else TOPIC_THRESHOLD):
        return Extract((), confidence)
    quoted = [each for rank, each in ranked if rank >= best - _ALSO][:QUOTES]
    return Extract(tuple(Quote(each.hit, each.unit.start, each.unit.end) for each in quoted), confidence)


def candidates(question: Question, hits: Sequence[Hit], embedder: Embedder | None) -> list[Candidate]:
    """The sentences that hold most of the question's words, looked at closely."""
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
    if not embedder or not found:
        return found
    cosines = embedder.embed_passages([each.text for each in found]) @ embedder.embed_query(question.text)
    return [
        replace(each, signals=replace(each.signals, cosine=float(cosine)))
        for each, cosine in zip(found, cosines, strict=True)
    ]


def weighed(weights: Mapping[str, float], of: Signals) -> float:
    return sum(weight * getattr(of, name) for name, weight in weights.items())


def trust(weights: Mapping[str, float], of: Signals) -> float:
    odds = weighed(weights, of) + UNRELATED * of.unrelated
    return 1 / (1 + math.exp(-odds))

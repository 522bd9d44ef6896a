"""What the graph adds to a ranking: from the names in a question and in its best passages to the passages about them.

A passage that names another thing leads to the passage which defines that thing. So a question's second step, which
shares no word with the question ("the birthplace of the director of …"), is found through the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from knowgate.knowledge.graph.mentions import (
    Span,
    beginning,
    begins_sentence,
    is_plain,
    longest_known,
    near,
    spans,
    telling,
)
from knowgate.knowledge.graph.words import ARTICLES, Word, read_words
from knowgate.store.port import Definition, Scored

SEEDS = 4
"""How many of the best passages are read for names."""
BEAM = 4
"""How many of the passages found last are read for the next hop."""
HOPS = 4
MOST_DEFINITIONS = 8
"""A name that more passages define than this, such as "Overview", names nothing."""
NAMED = 0.6
"""What a passage gains when the question itself names it, as a share of the best score."""
DAMPING = 0.9
_SURE = 0.5
"""From this weight on, a name in the question is one."""
_SHARED = 2
"""A name is worth less from so many definitions on."""
_UNSUPPORTED = 0.4
"""What a link without support still passes on, when another link of the same passage has a lot."""
_PRIOR, _SUPPORT = 0.3, 2.0
_ANY, _SOME, _STRONG = -1.0, 0.0, 0.25
_KNEE = 0.9
_LONGEST_QUERY_NAME = 12


class NameIndex(Protocol):
    """What the walk asks of the store, for one filter: no answer ever tells of a passage outside of it."""

    def definitions(self, keys: Sequence[str]) -> Mapping[str, Sequence[Definition]]:
        """The passages that define each key. More than `MOST_DEFINITIONS` need not be told apart."""
        ...

    def texts(self, chunk_ids: Sequence[str]) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class _Stop:
    """A passage on the walk, and which of the question's words no step has used yet."""

    chunk_id: str
    score: float
    unused: frozenset[str]
    needs: float
    """How much support a link has to exceed to be followed."""


@dataclass(frozen=True, slots=True)
class _Link:
    target: str
    weight: float
    support: float
    """How much of the question is said near the mention, 0 to 1."""
    unused: frozenset[str]


def graph_list(query: str, seeds: Sequence[Scored], names: NameIndex) -> list[Scored]:
    """Passages the graph proposes, best first; all of them below the best of the seeds (a ranking, best first).

    Where the question names nothing that is known, a link has to be supported by the question's own words; from the
    second hop on, it always has to. So plain questions are left alone.
    """
    if not seeds or seeds[0].score <= 0:
        return []
    words = read_words(query)
    asked, named = _named(words, query, names)
    own = {seed.chunk_id: seed.score / seeds[0].score for seed in seeds}
    scores = dict(own)
    for chunk_id, weight in named.items():
        scores[chunk_id] = scores.get(chunk_id, 0.0) + NAMED * weight
    question = telling(words, asked)
    needs = _ANY if max(named.values(), default=0.0) >= _SURE else _STRONG
    best = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))[:SEEDS]
    stops = [_Stop(chunk_id, scores[chunk_id], question, needs) for chunk_id in best]
    for _ in range(HOPS):
        stops = _hop(stops, scores, len(question), names)
    raised = {chunk_id: score for chunk_id, score in scores.items() if score > own.get(chunk_id, 0.0)}
    found = [Scored(chunk_id, seeds[0].score * _below_one(score)) for chunk_id, score in raised.items()]
    return sorted(found, key=lambda hit: (-hit.score, hit.chunk_id))


def join(ranked: Sequence[Scored], proposed: Sequence[Scored]) -> list[Scored]:
    """The ranking with what the graph proposes: no score falls, and the best passage stays the best."""
    scores = {hit.chunk_id: hit.score for hit in ranked}
    for hit in proposed:
        scores[hit.chunk_id] = max(hit.score, scores.get(hit.chunk_id, 0.0))
    first = ranked[0].chunk_id if ranked else ""
    order = sorted(scores.items(), key=lambda item: (item[0] != first, -item[1], item[0]))
    return [Scored(chunk_id, score) for chunk_id, score in order]


def _named(words: list[Word], query: str, names: NameIndex) -> tuple[list[Span], dict[str, float]]:
    """The names in the question, and the passages they mean."""
    # People who type no capitals still mean names, but a single word is then too little to go by.
    loose = query == query.lower()
    if loose:
        words = [word._replace(may_begin=word.folded not in ARTICLES) for word in words]
    found = [span for span in spans(words, _LONGEST_QUERY_NAME) if not loose or span.last - span.first > 1]
    known = _known(found, names)
    asked = longest_known(found, known)
    meant: dict[str, float] = {}
    for span in asked:
        for definition in known[span.key]:
            meant[definition.chunk_id] = max(definition.weight, meant.get(definition.chunk_id, 0.0))
    return asked, meant


def _hop(stops: Sequence[_Stop], scores: dict[str, float], question: int, names: NameIndex) -> list[_Stop]:
    """Follows the links of all stops, with two look-ups, and raises the scores of what they lead to."""
    if not stops:
        return []
    texts = names.texts([stop.chunk_id for stop in stops])
    read = {chunk_id: read_words(text) for chunk_id, text in texts.items()}
    open_stops = [stop for stop in stops if stop.chunk_id in read]
    runs = [_runs(read[stop.chunk_id], stop) for stop in open_stops]
    known = _known([span for found in runs for span in found], names)
    reached: dict[str, _Stop] = {}
    for stop, found in zip(open_stops, runs, strict=True):
        links = list(_links(stop, read[stop.chunk_id], longest_known(found, known), known, question))
        strongest = max((_strength(link) for link in links), default=0.0)
        for link in links:
            passed = _UNSUPPORTED + (1 - _UNSUPPORTED) * _strength(link) / strongest
            score = stop.score * DAMPING * link.weight * passed
            if link.support > stop.needs and score > scores.get(link.target, 0.0):
                scores[link.target] = score
                reached[link.target] = _Stop(link.target, score, link.unused, _SOME)
    return sorted(reached.values(), key=lambda stop: (-stop.score, stop.chunk_id))[:BEAM]


def _runs(words: Sequence[Word], stop: _Stop) -> list[Span]:
    """What may be a name, as far as its spelling and its sentence give it the support that it needs."""
    # A capital says nothing where a sentence begins, and "File" is too little to go by when the question names nothing.
    found = [
        span
        for span in spans(words)
        if not (is_plain(words, span) and (stop.needs == _STRONG or begins_sentence(words, span)))
    ]
    if stop.needs == _ANY:
        return found
    telling_sentences = {word.sentence for word in words if beginning(word.folded) in stop.unused}
    return [span for span in found if words[span.first].sentence in telling_sentences]


def _links(
    stop: _Stop,
    words: Sequence[Word],
    mentioned: Sequence[Span],
    known: Mapping[str, Sequence[Definition]],
    question: int,
) -> Iterator[_Link]:
    for span in mentioned:
        targets = known[span.key]
        # Its own name leads nowhere, and less so to namesakes.
        if any(target.chunk_id == stop.chunk_id for target in targets):
            continue
        around = near(words, span)
        used = stop.unused & around.keys()
        support = sum(around[word] for word in used) / max(1, question)
        for target in targets:
            yield _Link(target.chunk_id, target.weight, support, stop.unused - used)


def _strength(link: _Link) -> float:
    return link.weight * (_PRIOR + _SUPPORT * link.support)


def _known(found: Sequence[Span], names: NameIndex) -> dict[str, list[Definition]]:
    """What the names among the runs mean; a name of several things means each of them less surely."""
    known: dict[str, list[Definition]] = {}
    if not found:
        return known
    for key, meant in names.definitions(list(dict.fromkeys(span.key for span in found))).items():
        if 0 < len(meant) <= MOST_DEFINITIONS:
            share = min(1.0, _SHARED / len(meant))
            known[key] = [replace(definition, weight=definition.weight * share) for definition in meant]
    return known


def _below_one(score: float) -> float:
    """Scores above the knee come ever closer to 1, in their order: the best of the seeds stays the best."""
    room = 1 - _KNEE
    return score if score <= _KNEE else _KNEE + room * (1 - math.exp((_KNEE - score) / room))

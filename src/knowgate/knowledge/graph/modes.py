"""Rankings led by the graph: by the entities that a question names, or by the relations around what it is about."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from knowgate.knowledge.extract.names import key
from knowgate.knowledge.graph.mentions import longest_known, spans
from knowgate.knowledge.graph.view import View
from knowgate.knowledge.graph.words import ARTICLES, read_words
from knowgate.model import Entity
from knowgate.store.port import Edge, Scored
from knowgate.store.words import STOP_WORDS

LOCAL_TEXT, GLOBAL_TEXT = 0.8, 0.6
"""How much of a score is what the passage says; the rest is what it is about."""
_NEXT = 0.3
"""What an entity one relation away counts, beside one that the question names."""
_PASSAGES, _NEXT_PASSAGES, _NEIGHBOURS = 50, 3, 40
_SEEDS, _ENTITIES, _RELATIONS = 30, 40, 60
_AGAIN = 0.9
"""What the next passage of the same community counts, so that a wide question is answered from all sides."""


def entities_of(query: str, view: View) -> list[str]:
    """The entities that a question names, the longest names first."""
    words = read_words(query)
    loose = [word._replace(may_begin=word.folded not in ARTICLES) for word in words]
    found = [
        span._replace(key=key(span.key))
        for span in spans(loose)
        if any(words[place].folded not in STOP_WORDS for place in range(span.first, span.last))
    ]
    known = view.known(span.key for span in found)
    return list(dict.fromkeys(view.root(span.key) for span in longest_known(found, _Known(known, view))))


class _Known:
    def __init__(self, roots: set[str], view: View) -> None:
        self._roots = roots
        self._view = view

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._view.root(name) in self._roots


def local_list(query: str, ranked: Sequence[Scored], view: View) -> list[Scored]:
    """Passages about the entities that the question names, and about those they are related to; none without names."""
    asked = entities_of(query, view)
    if not asked:
        return []
    rare = _rarity(view.describe(asked))
    whole = sum(rare.values()) or 1.0
    about: defaultdict[str, float] = defaultdict(float)
    # How surely a passage names something says nothing about how well it answers: the words tell that.
    for root, passages in view.passages_of(asked, _PASSAGES).items():
        for chunk_id, _ in passages:
            about[chunk_id] += rare.get(root, 0.0) / whole
    near = [end for edge in view.edges(asked, "both") for end in (edge.source, edge.target) if end not in asked]
    for passages in view.passages_of(list(dict.fromkeys(near))[:_NEIGHBOURS], _NEXT_PASSAGES).values():
        for chunk_id, _ in passages:
            about[chunk_id] = max(about[chunk_id], _NEXT)
    return _mixed(ranked, about, LOCAL_TEXT)


def global_list(ranked: Sequence[Scored], view: View) -> list[Scored]:
    """Passages that state relations among what the best passages are about, from every community of them in turn."""
    seeds = {hit.chunk_id: hit.score for hit in ranked[:_SEEDS]}
    weights: defaultdict[str, float] = defaultdict(float)
    for chunk_id, named in view.keys_in(list(seeds)).items():
        for root, sure in named:
            weights[root] += seeds[chunk_id] * sure
    rare = {root: weights[root] * rarity for root, rarity in _rarity(view.describe(weights)).items()}
    best = sorted(rare, key=lambda root: (-rare[root], root))[:_ENTITIES]
    edges = sorted(view.edges(best, "both"), key=lambda edge: (-_heft(edge, rare), edge.source, edge.target))
    edges = edges[:_RELATIONS]
    if not edges:
        return []
    communities = _communities(edges)
    top = _heft(edges[0], rare)
    about: dict[str, float] = {}
    taken: Counter[str] = Counter()
    for edge, chunk_ids in view.stated(edges):
        for chunk_id in chunk_ids:
            if chunk_id not in about:
                community = communities[edge.source]
                about[chunk_id] = _heft(edge, rare) / top * _AGAIN ** taken[community]
                taken[community] += 1
    return _mixed(ranked, about, GLOBAL_TEXT)


def _rarity(described: Mapping[str, Entity]) -> dict[str, float]:
    """What every passage names, such as the product itself, tells nothing about this question."""
    return {root: 1 / math.log2(2 + entity.mentions) for root, entity in described.items()}


def _heft(edge: Edge, weights: Mapping[str, float]) -> float:
    return edge.confidence * (weights.get(edge.source, 0.0) + weights.get(edge.target, 0.0))


def _communities(edges: Sequence[Edge], rounds: int = 10) -> dict[str, str]:
    """By label propagation: every entity takes the label that most of its neighbours have, until none changes."""
    near: defaultdict[str, list[str]] = defaultdict(list)
    for edge in edges:
        near[edge.source].append(edge.target)
        near[edge.target].append(edge.source)
    labels = {node: node for node in near}
    for _ in range(rounds):
        before = dict(labels)
        for node in sorted(near):
            counts = Counter(labels[each] for each in near[node])
            labels[node] = min(counts, key=lambda label: (-counts[label], label))
        if labels == before:
            break
    return labels


def _mixed(ranked: Sequence[Scored], about: Mapping[str, float], said: float) -> list[Scored]:
    text = {hit.chunk_id: hit.score for hit in ranked}
    scores = {
        id: said * text.get(id, 0.0) + (1 - said) * min(1.0, about.get(id, 0.0))
        for id in (*text, *(each for each in about if each not in text))
    }
    return [Scored(id, score) for id, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]

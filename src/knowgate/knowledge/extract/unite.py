"""The graph of many documents: their extractions, with names that mean the same put together.

Needs nothing but the extractions themselves, so a change of one document is a change of its rows. Three things depend
on the whole: which names an alias joins (one claimed by several names is a kind of thing, not an alias), which instance
a product's name means (the only one of its kind), and what a configuration's clients inherit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowgate.knowledge.extract.draft import DECLARED, INTRODUCED, STATED
from knowgate.knowledge.extract.kinds import head_kind, technology_in
from knowgate.knowledge.extract.names import key, parts
from knowgate.knowledge.extract.shapes import Extraction

_SYSTEM = 3
"""So many parts make a system."""
_DOUBT = 0.7


@dataclass(frozen=True, slots=True)
class Entity:
    name: str
    type: str
    names: frozenset[str]
    """Keys of all its names."""
    confidence: float
    documents: int


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    type: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Graph:
    entities: tuple[Entity, ...]
    edges: tuple[Edge, ...]

    def at_least(self, confidence: float) -> Graph:
        """Without what is less sure, and without relations of what is gone."""
        kept = tuple(each for each in self.entities if each.confidence >= confidence)
        names = {each.name for each in kept}
        sure = (each for each in self.edges if each.confidence >= confidence)
        return Graph(kept, tuple(each for each in sure if {each.source, each.target} <= names))


class _Joined:
    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def find(self, name: str) -> str:
        path: list[str] = []
        while (above := self._above.get(name, name)) != name:
            path.append(name)
            name = above
        for each in path:
            self._above[each] = name
        return name

    def join(self, one: str, two: str) -> None:
        one, two = sorted((self.find(one), self.find(two)))
        self._above[two] = one


def unite(extractions: Iterable[Extraction]) -> Graph:
    """The order of the documents does not matter."""
    documents = list(extractions)
    joined = _join(documents)
    entities = _entities(documents, joined)
    return Graph(
        tuple(sorted(entities.values(), key=lambda each: each.name)), tuple(_edges(documents, joined, entities))
    )


def _join(documents: Sequence[Extraction]) -> _Joined:
    joined = _Joined()
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for each in documents:
        for alias in each.aliases:
            claims[key(alias.other)].add(key(alias.name))
    ports = {other for other in claims if other.startswith("localhost")}
    for other, names in sorted(claims.items()):
        if other not in ports and len(names) == 1:
            joined.join(next(iter(names)), other)
    # Addresses last: they are claimed by whatever the names before have been found to be.
    for other in sorted(ports):
        owners = {joined.find(name) for name in claims[other]}
        if len(owners) == 1:
            joined.join(owners.pop(), other)
    _join_products(documents, joined)
    _join_short(documents, joined)
    return joined


def _join_products(documents: Sequence[Extraction], joined: _Joined) -> None:
    """When one part of a system runs a product, "Redis" means that part."""
    declared: set[str] = set()
    instances: defaultdict[str, set[str]] = defaultdict(set)
    for each in documents:
        for mention in each.mentions:
            if mention.confidence >= 0.6:
                declared.add(key(mention.name))
                if product := technology_in(mention.name):
                    instances[product].add(joined.find(key(mention.name)))
    for product, those in sorted(instances.items()):
        if len(those) == 1 and product not in declared:
            joined.join(those.pop(), product)


def _join_short(documents: Sequence[Extraction], joined: _Joined) -> None:
    """A short name means the one part whose name begins with it; "API Gateway" means the one that is just `gateway`."""
    declared: dict[str, str] = {}
    spoken: dict[str, str] = {}
    for each in documents:
        for mention in each.mentions:
            where = declared if mention.confidence >= 0.9 else spoken
            where[mention.name] = mention.type
    by_first: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    alone: defaultdict[str, set[str]] = defaultdict(set)
    for name, type_ in declared.items():
        words = parts(name)
        by_first[words[0] if words else "", type_].add(joined.find(key(name)))
        if len(words) == 1:
            alone[words[0]].add(joined.find(key(name)))
    taken = {key(name) for name in declared}
    for name, type_ in sorted(spoken.items()):
        words = parts(name)
        if not words or key(name) in taken:
            continue
        meant = by_first.get((words[0], type_), set()) if len(words) == 1 else set[str]()
        if len(words) in (2, 3) and head_kind(words[-1]):
            meant = alone.get(words[-1], set())
        if len(meant) == 1:
            joined.join(next(iter(meant)), key(name))


def _entities(documents: Sequence[Extraction], joined: _Joined) -> dict[str, Entity]:
    best: dict[str, float] = {}
    types: defaultdict[str, Counter[str]] = defaultdict(Counter)
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    where: defaultdict[str, set[int]] = defaultdict(set)
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for number, each in enumerate(documents):
        for mention in each.mentions:
            root = joined.find(key(mention.name))
            best[root] = max(best.get(root, 0.0), mention.confidence)
            types[root][mention.type] += _weight(mention.confidence)
            names[root][mention.name] += _weight(mention.confidence)
            where[root].add(number)
            keys[root].add(key(mention.name))
    trusted = _trusted(best.values())
    return {
        root: Entity(
            _most(names[root]),
            _most(types[root]),
            frozenset(keys[root]),
            sure if sure >= trusted else sure * _DOUBT,
            len(where[root]),
        )
        for root, sure in best.items()
    }


def _trusted(sure: Iterable[float]) -> float:
    """Where a system is declared, what is merely listed or spoken of is seldom a part of it."""
    levels = list(sure)
    if sum(each >= DECLARED for each in levels) >= _SYSTEM:
        return STATED
    return INTRODUCED if sum(each >= INTRODUCED for each in levels) >= _SYSTEM else 0.0


def _weight(confidence: float) -> int:
    """One declaration outweighs many mentions."""
    return round(1000 * confidence**4)


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda each: (-counts[each], each))


def _edges(documents: Sequence[Extraction], joined: _Joined, entities: dict[str, Entity]) -> Iterable[Edge]:
    sure: dict[tuple[str, str, str], float] = {}
    clients: defaultdict[str, set[str]] = defaultdict(set)
    for each in documents:
        for relation in each.relations:
            source, target = joined.find(key(relation.source)), joined.find(key(relation.target))
            if source != target:
                spot = (source, target, relation.type)
                sure[spot] = max(sure.get(spot, 0.0), relation.confidence)
                if relation.confidence >= 0.9:
                    clients[target].add(source)
    for each in documents:
        for relation in each.inherited:
            owner, target = joined.find(key(relation.source)), joined.find(key(relation.target))
            for client in clients[owner]:
                if client != target:
                    spot = (client, target, relation.type)
                    sure[spot] = max(sure.get(spot, 0.0), 0.6)
    for (source, target, type_), confidence in sorted(sure.items()):
        if source in entities and target in entities:
            yield Edge(entities[source].name, entities[target].name, type_, confidence)

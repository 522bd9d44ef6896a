"""The graph as one caller sees it: entities instead of keys, made of nothing but the documents let through."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice

from knowgate.errors import NotFoundError
from knowgate.knowledge.extract import Schema, key
from knowgate.knowledge.graph.facts import DECLARED, LISTED, relation_key
from knowgate.knowledge.graph.joins import Decision, read_joins
from knowgate.knowledge.graph.walk import Expand, Tree, reachable, shortest_path
from knowgate.model import Direction, Entity, Filter, Passage, Relation, Step, Stream
from knowgate.store.port import Edge, Spelling, Store, Triple

INHERITED = 0.6
_SYSTEM, _DOUBT = 3, 0.7
_TRUSTED = {"part": 0.75, "listed": LISTED}
"""Where so many parts of a system are declared or listed, what is less sure is seldom one of them."""
_CANDIDATES = 20
_NEAREST_OF = 5000
_ALL = 1 << 40
_MOST_STEPS = 200
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Resolved:
    """The entity that a name means, and what else it may mean."""

    root: str
    entity: Entity
    also: tuple[str, ...] = ()


class View:
    def __init__(self, store: Store, where: Filter, schema: Schema, decisions: Sequence[Decision]) -> None:
        self._store = store
        self._where = where
        self._schema = schema
        self._joins = read_joins(store, where, decisions)
        self._called = {self._joins.root(each.key): each.name for each in decisions if each.name}
        self._meant = {each.means for each in decisions} - {each.key for each in decisions if each.means}
        self._inherited = self._read_inherited()
        self._fields = self._read_fields() if schema.entity_fields or schema.relation_fields else {}
        self._trusted = max((sure for kind, sure in _TRUSTED.items() if self._is_system(kind)), default=0.0)

    def _is_system(self, kind: str) -> bool:
        return len({self._joins.root(each.key) for each in self._store.clues([kind], where=self._where)}) >= _SYSTEM

    def _read_inherited(self) -> list[Edge]:
        """What holds for everything that uses something, such as the settings a configuration server hands out."""
        handed: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        for clue in self._store.clues(["inherited"], where=self._where):
            handed[self._joins.root(clue.word)].add((self._joins.root(clue.key), clue.note))
        clients = self._rooted(self._store.neighbours(self._joins.all_members(handed), "in", self._where))
        return [
            Edge(client.source, target, type_, INHERITED, 0)
            for client in clients
            if client.confidence >= DECLARED
            for target, type_ in sorted(handed[client.target])
            if target != client.source
        ]

    def _read_fields(self) -> dict[str, dict[str, str]]:
        """Of entities and of relations; where documents differ, the last in the alphabet."""
        found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for clue in sorted(self._store.clues(["entity_field", "relation_field"], where=self._where), key=repr):
            key = self._joins.root(clue.key)
            if clue.kind == "relation_field":
                source, type_, target = clue.key.split("\t")
                key = relation_key(self._joins.root(source), self._joins.root(target), type_)
            found[key][clue.word] = clue.note
        return dict(found)

    # Names

    def resolve(self, name: str) -> Resolved:
        """By any spelling of its name, else by a part of it."""
        root = self._joins.root(key(name))
        if entity := self.describe([root]).get(root):
            return Resolved(root, entity)
        part = name.strip()
        roots = self._fitting(part, "", _CANDIDATES) if part else []
        found = [each for each in self.describe(roots).items() if _holds(each[1], part)]
        if not found:
            raise self._not_found(name)
        (root, entity), *others = found
        return Resolved(root, entity, tuple(other.name for _, other in others))

    def _not_found(self, name: str) -> NotFoundError:
        known = self.entities(limit=_NEAREST_OF)
        names = {spelled.casefold(): entity.name for entity in known for spelled in (entity.name, *entity.aliases)}
        near = dict.fromkeys(names[each] for each in get_close_matches(name.casefold(), names, 5, 0.5))
        fix = f"The nearest names are {', '.join(near)}." if near else "List the entities to see what there is."
        return NotFoundError("entity_not_found", f'Entity not found: "{name}".', fix)

    # Entities

    def entities(self, query: str = "", type: str = "", offset: int = 0, limit: int = 20) -> list[Entity]:
        """The surest and most named first."""
        return list(self.describe(self._fitting(query, type, offset + limit)[offset:]).values())

    def _fitting(self, text: str, type: str, most: int) -> list[str]:
        """The roots of as many entities, if there are: those that people have given a fitting name first."""
        part = text.casefold()
        called = self.known(root for root, name in self._called.items() if part and part in name.casefold())
        # Keys of one entity lie apart in the store's order, and what one passage takes for a database may be none.
        scanned = most + self._joins.merged()
        while True:
            keys = self._store.scan_entities(self._where, text, type, 0, scanned)
            found = self._joins.roots([*sorted(called), *keys])
            if type:
                found = [root for root, entity in self.describe(found).items() if entity.type == type]
            if len(found) >= most or len(keys) < scanned:
                return found[:most]
            scanned *= 4

    def roots(self) -> list[str]:
        """Of all entities, the surest and most named first."""
        # At once: the store puts all of them in order for every page, and while they change pages would miss some.
        return self._joins.roots(self._store.scan_entities(self._where, limit=_ALL))

    def pages(self, size: int = 500) -> Iterator[tuple[list[Entity], list[Relation]]]:
        """The whole graph, entity by entity, each with the relations that leave it."""
        roots = iter(self.roots())
        while page := list(islice(roots, size)):
            yield list(self.describe(page).values()), self.tell(self.edges(page, "out"))

    def describe(self, roots: Iterable[str]) -> dict[str, Entity]:
        """Those that are spoken of, in the order given."""
        roots = list(dict.fromkeys(roots))
        by_root: defaultdict[str, list[Spelling]] = defaultdict(list)
        for spelling in self._store.spellings(self._joins.all_members(roots), self._where):
            by_root[self._joins.root(spelling.key)].append(spelling)
        there = [root for root in roots if root in by_root]
        spread = self._store.spread([self._joins.members(root) for root in there], self._where)
        return {
            root: replace(self._entity(root, by_root[root]), documents=each.documents, mentions=each.passages)
            for root, each in zip(there, spread, strict=True)
        }

    def _entity(self, root: str, spellings: Sequence[Spelling]) -> Entity:
        names, types = _votes(spellings, "name"), _votes(spellings, "type")
        # A name that others were said to mean comes first, as far as the documents let through speak of it.
        meant = [each for each in spellings if each.key in self._meant]
        name = self.called(root) or _votes(meant or spellings, "name")[0]
        sure = max(each.confidence for each in spellings)
        told = max((each.description for each in spellings), key=lambda each: (len(each), each))
        others = tuple(each for each in names if each != name)
        return Entity(
            name,
            types[0],
            told,
            others,
            confidence=round(sure if sure >= self._trusted else sure * _DOUBT, 3),
            fields=self._fields.get(root, {}),
        )

    def keys_in(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """The entities that passages name, and how surely."""
        return {
            id: [(self._joins.root(each), sure) for each, sure in found]
            for id, found in self._store.mentions_in(chunk_ids).items()
        }

    def passages_of(self, roots: Sequence[str], most: int) -> dict[str, list[tuple[str, float]]]:
        """The passages that name each entity, the surest first."""
        found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for member, passages in self._store.passages_of(self._joins.all_members(roots), self._where, most).items():
            found[self._joins.root(member)] += [(each.chunk_id, each.confidence) for each in passages]
        return dict(found)

    def called(self, key: str) -> str:
        """What people have decided to call the entity of a key, if anything."""
        return self._called.get(self._joins.root(key), "")

    def root(self, key: str) -> str:
        """The key that stands for all keys of its entity."""
        return self._joins.root(key)

    def known(self, keys: Iterable[str]) -> set[str]:
        """The roots of those keys that name an entity."""
        roots = self._joins.roots(keys)
        spoken = self._store.spellings(self._joins.all_members(roots), self._where)
        return {self._joins.root(each.key) for each in spoken}

    # Relations

    def edges(self, roots: Sequence[str], direction: Direction) -> list[Edge]:
        """Between entities: those of all their keys, and what was inherited."""
        return _strongest(self._near(roots, direction))

    def _near(self, roots: Sequence[str], direction: Direction, types: Sequence[str] | None = None) -> list[Edge]:
        """The same one by one: between two entities there may be several of a type, of their several keys."""
        asked = set(roots)
        found = self._rooted(self._store.neighbours(self._joins.all_members(roots), direction, self._where, types))
        return found + [
            each
            for each in self._inherited
            if ((direction != "in" and each.source in asked) or (direction != "out" and each.target in asked))
            and (types is None or each.type in types)
        ]

    def relations(self, roots: Sequence[str], direction: Direction = "both") -> list[Relation]:
        return self.tell(self.edges(roots, direction))

    def tell(self, edges: Sequence[Edge]) -> list[Relation]:
        """The edges in words, with passages that say so; the surest first."""
        spoken = self.describe(end for each in edges for end in (each.source, each.target))
        evidence = self._evidence(edges)
        passages = self._passages({id for found in evidence.values() for id, _ in found})
        told: list[Relation] = []
        for each in edges:
            if each.source in spoken and each.target in spoken:
                found = evidence.get((each.source, each.target, each.type), [])
                told.append(
                    Relation(
                        spoken[each.source].name,
                        spoken[each.target].name,
                        each.type,
                        next((said for _, said in found if said), ""),
                        each.confidence,
                        tuple(passages[id] for id, _ in found if id in passages),
                        self._fields.get(relation_key(each.source, each.target, each.type), {}),
                    )
                )
        return told

    def stated(self, edges: Sequence[Edge]) -> Iterator[tuple[Edge, list[str]]]:
        """Each edge with passages that state it."""
        evidence = self._evidence(edges)
        for each in edges:
            yield each, [id for id, _ in evidence.get((each.source, each.target, each.type), [])]

    def _evidence(self, edges: Sequence[Edge]) -> dict[Triple, list[tuple[str, str]]]:
        triples = [
            (source, target, each.type)
            for each in edges
            for source in self._joins.members(each.source)
            for target in self._joins.members(each.target)
        ]
        found: defaultdict[Triple, list[tuple[str, str]]] = defaultdict(list)
        for (source, target, type_), those in self._store.evidence(triples, self._where).items():
            spot = (self._joins.root(source), self._joins.root(target), type_)
            found[spot] += [(each.chunk_id, each.description) for each in those]
        return found

    def _passages(self, chunk_ids: set[str]) -> dict[str, Passage]:
        chunks = self._store.chunks(sorted(chunk_ids))
        documents = self._store.documents(sorted({chunk.document_id for chunk in chunks.values()}))
        return {
            id: Passage(id, chunk.document_id, documents[chunk.document_id].name, chunk.headings, chunk.page)
            for id, chunk in chunks.items()
            if chunk.document_id in documents
        }

    def _rooted(self, edges: Iterable[Edge]) -> list[Edge]:
        root = self._joins.root
        found: list[Edge] = []
        for each in edges:
            source, target = root(each.source), root(each.target)
            if source != target:
                known = source == each.source and target == each.target
                found.append(each if known else replace(each, source=source, target=target))
        return found

    # Walks

    def path(self, start: str, end: str, depth: int, any_direction: bool = False) -> list[Relation] | None:
        """The shortest, each relation as it is stated; None when there is none so short."""
        ahead, back = ("both", "both") if any_direction else ("out", "in")
        found = shortest_path(start, end, depth, self._expand(ahead), self._expand(back))
        return None if found is None else self.tell(found)

    def _expand(self, direction: Direction) -> Expand:
        def expand(roots: Sequence[str]) -> Iterator[tuple[str, Edge]]:
            asked = set(roots)
            for each in self._near(roots, direction):
                if direction != "in" and each.source in asked:
                    yield each.target, each
                if direction != "out" and each.target in asked:
                    yield each.source, each

        return expand

    def trace(self, start: str, stream: Stream, depth: int = _DEEPEST) -> Step:
        """Where things flow to, or come from, as a tree: nearest first, everything shown once."""

        backward = [type_ for type_, flow in self._schema.flows.items() if flow == "backward"]
        along, against = ("out", "in") if stream == "downstream" else ("in", "out")

        def expand(roots: Sequence[str]) -> Iterator[tuple[str, Edge]]:
            flowing = [each for each in self._near(roots, along) if each.type not in backward]
            flowing += self._near(roots, against, backward) if backward else []
            asked = set(roots)
            for each in _strongest(flowing):
                # Of an edge between two of them, the end it flows to is the far one.
                downstream = each.target if each.type not in backward else each.source
                upstream = each.source if each.type not in backward else each.target
                near, far = (upstream, downstream) if stream == "downstream" else (downstream, upstream)
                if near in asked:
                    yield far, each

        tree = reachable(start, depth, _MOST_STEPS, expand)
        named = self.describe([start, *(node for steps in tree.steps.values() for node, _ in steps)])
        if start not in named:
            raise self._not_found(start)
        return _steps(start, tree, named)

    def stats(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """How many entities and relations there are, by type."""
        entities, relations = map(Counter, self._store.count_graph(self._where))
        # The store counts keys, and relations between keys; those that are one here are counted as one.
        joined = self._joins.joined()
        members = self._joins.all_members(joined)
        by_key: defaultdict[str, list[Spelling]] = defaultdict(list)
        for each in self._store.spellings(members, self._where):
            by_key[each.key].append(each)
        entities.subtract(_votes(spellings, "type")[0] for spellings in by_key.values())
        entities.update(each.type for each in self.describe(joined).values())
        ends = dict.fromkeys([*members, *(each.source for each in self._inherited)])
        stated = self._store.neighbours(list(ends), "both", self._where)
        relations.subtract(each.type for each in stated)
        relations.update(each.type for each in _strongest([*self._rooted(stated), *self._inherited]))
        return dict(+entities), dict(+relations)


def _steps(start: str, tree: Tree, named: Mapping[str, Entity]) -> Step:
    def build(node: str, above: Sequence[Edge], first: bool) -> Step:
        entity = named[node]
        relations = tuple(sorted({each.type if each.target == node else f"←{each.type}" for each in above}))
        if not first:
            return Step(entity.name, entity.type, relations, seen=node in tree.steps)
        below = [each for each in tree.steps.get(node, ()) if each[0] in named]
        steps = tuple(build(each, edges, tree.first[each] == node) for each, edges in below)
        return Step(entity.name, entity.type, relations, steps, more=tree.more.get(node, 0))

    return build(start, (), True)


def _votes(spellings: Iterable[Spelling], of: str) -> list[str]:
    """Names or types, the one that most is said for first."""
    weights: defaultdict[str, float] = defaultdict(float)
    for each in spellings:
        weights[getattr(each, of)] += each.weight
    return sorted(weights, key=lambda each: (-weights[each], each))


def _strongest(edges: Iterable[Edge]) -> list[Edge]:
    best: dict[Triple, Edge] = {}
    for each in edges:
        spot = (each.source, each.target, each.type)
        before = best.get(spot)
        passages = each.passages + (before.passages if before else 0)
        sure = max(each.confidence, before.confidence if before else 0.0)
        best[spot] = replace(each, confidence=sure, passages=passages)
    return sorted(
        best.values(), key=lambda each: (-each.confidence, -each.passages, each.source, each.target, each.type)
    )


def _holds(entity: Entity, text: str) -> bool:
    return any(text.casefold() in name.casefold() for name in (entity.name, *entity.aliases))

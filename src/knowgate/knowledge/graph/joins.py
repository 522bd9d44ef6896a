"""Which keys mean one entity, seen over all documents that the caller may see.

Three things can only be told from the whole: which other names hold (one that several claim is a kind of thing and no
name), which instance a product's name means (the only one of its kind), and whom a short name means (its only bearer).
What people have decided comes before all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from knowgate.knowledge.extract.names import key, parts
from knowgate.knowledge.graph.facts import DECLARED, INSTANCE
from knowgate.model import Filter
from knowgate.store.port import Clue, Spelling, Store

_KINDS = ("alias", "alone", "part", "product")
_ADDRESS = "localhost"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said about a key: whose other name it is, or what its entity is to be called."""

    key: str
    means: str = ""
    name: str = ""


class Joins:
    """Keys that mean the same, as a forest; whoever comes first in the alphabet stands for all."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._members: defaultdict[str, set[str]] = defaultdict(set)

    def root(self, key: str) -> str:
        return self._above.get(key, key)

    def members(self, root: str) -> tuple[str, ...]:
        return tuple(sorted(self._members.get(root, (root,))))

    def roots(self, keys: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(map(self.root, keys)))

    def all_members(self, roots: Iterable[str]) -> list[str]:
        return [key for root in roots for key in self.members(root)]

    def joined(self) -> list[str]:
        """The roots of several keys."""
        return sorted(self._members)

    def merged(self) -> int:
        """How many keys are not entities of their own."""
        return sum(len(each) - 1 for each in self._members.values())

    def join(self, one: str, two: str) -> None:
        one, two = sorted((self.root(one), self.root(two)))
        if one == two:
            return
        together = self._members.pop(one, {one}) | self._members.pop(two, {two})
        self._members[one] = together
        for each in together:
            self._above[each] = one


def read_joins(store: Store, where: Filter, decisions: Iterable[Decision]) -> Joins:
    clues = _by_kind(store.clues(_KINDS, where=where))
    joins = Joins()
    for each in decisions:
        if each.means:
            joins.join(each.key, each.means)
    _join_aliases(joins, clues["alias"])
    products = sorted({each.word for each in clues["product"]})
    _join_products(joins, clues["product"], store.spellings(products, where))
    alone = sorted({each.word for each in clues["alone"]})
    tails = store.clues(["tail"], alone, where)
    spoken = store.spellings(sorted({each.word for each in clues["part"]} | {each.key for each in tails}), where)
    _join_short(joins, clues["part"], clues["alone"], tails, spoken)
    return joins


def _by_kind(clues: Iterable[Clue]) -> defaultdict[str, list[Clue]]:
    found: defaultdict[str, list[Clue]] = defaultdict(list)
    for each in clues:
        found[each.kind].append(each)
    return found


def _join_aliases(joins: Joins, aliases: Iterable[Clue]) -> None:
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for each in aliases:
        claims[each.word].add(each.key)
    addresses = {other for other in claims if other.startswith(_ADDRESS)}
    for other, names in sorted(claims.items()):
        if other not in addresses and len(names) == 1:
            joins.join(next(iter(names)), other)
    # Addresses last: they are claimed by whatever the names before have been found to be.
    for other in sorted(addresses):
        owners = {joins.root(name) for name in claims[other]}
        if len(owners) == 1:
            joins.join(owners.pop(), other)


def _join_products(joins: Joins, products: Iterable[Clue], spellings: Iterable[Spelling]) -> None:
    """When one part of a system runs a product, "Redis" means that part."""
    instances: defaultdict[str, set[str]] = defaultdict(set)
    for each in products:
        instances[each.word].add(joins.root(each.key))
    parts_themselves = {each.key for each in spellings if each.confidence >= INSTANCE}
    for product, those in sorted(instances.items()):
        if len(those) == 1 and product not in parts_themselves:
            joins.join(those.pop(), product)


def _join_short(
    joins: Joins,
    declared: Sequence[Clue],
    alone: Iterable[Clue],
    tails: Iterable[Clue],
    spellings: Iterable[Spelling],
) -> None:
    """A short name means the one part whose name begins with it; "API Gateway" means the one that is just `gateway`."""
    by_first = _bearers(joins, ((each.word, each.note, each.key) for each in declared))
    by_word = _bearers(joins, ((each.word, "", each.key) for each in alone))
    ends = {each.key: each.word for each in tails}
    taken = {each.key for each in declared}
    for each in sorted(spellings, key=lambda one: (one.name, one.type)):
        if each.key in taken or each.confidence >= DECLARED:
            continue
        meant = by_word.get((ends[each.key], ""), set()) if each.key in ends else set[str]()
        if len(parts(each.name)) == 1:
            meant = by_first.get((key(parts(each.name)[0]), each.type), set())
        if len(meant) == 1:
            joins.join(next(iter(meant)), each.key)


def _bearers(joins: Joins, named: Iterator[tuple[str, str, str]]) -> Mapping[tuple[str, str], set[str]]:
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for word, type_, each in named:
        found[word, type_].add(joins.root(each))
    return found

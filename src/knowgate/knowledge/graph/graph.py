"""The graph: views of it for each caller, and what people have decided about its names."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowgate.errors import InputError
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.graph.joins import Decision
from knowgate.knowledge.graph.view import View
from knowgate.model import EVERYTHING, Filter, Schema
from knowgate.store.port import Batch, Record, Store, scan_all_records

_KIND = "entity_name"
_VIEWS = 8
_TOLD = 10


class Graph:
    def __init__(self, store: Store, schema: Schema) -> None:
        self._store = store
        self._schema = schema
        self._views: OrderedDict[tuple[str, str], View] = OrderedDict()
        self._lock = threading.Lock()

    def view(self, where: Filter = EVERYTHING) -> View:
        """Of the documents let through, as they are now."""
        decisions = self._spoken(self.decisions(), where)
        spot = (repr((self._store.graph_version(), decisions)), repr(where))
        with self._lock:
            if spot in self._views:
                self._views.move_to_end(spot)
                return self._views[spot]
        view = View(self._store, where, self._schema, decisions)
        with self._lock:
            self._views[spot] = view
            while len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return view

    def _spoken(self, decisions: list[Decision], where: Filter) -> list[Decision]:
        """Who sees a part of the documents is told no name that stands in none of them."""
        if where == EVERYTHING or not decisions:
            return decisions
        keys = [each for decision in decisions for each in (decision.key, key(decision.name))]
        spoken = {each.key for each in self._store.spellings(keys, where)}
        return [
            each if key(each.name) in spoken else replace(each, name="") for each in decisions if each.key in spoken
        ]

    def decisions(self) -> list[Decision]:
        return [Decision(each.id, **each.value) for each in scan_all_records(self._store, _KIND)]

    def alias(self, name: str, other: str) -> None:
        """From now on, and whatever is indexed later, the other name means the entity of the first."""
        decisions = self.decisions()
        meant = _told_by(decisions, self.view(), name)
        if key(other) in ("", meant):
            raise InputError("bad_alias", f"{other!r} is no other name of {name!r}.", "Give a name that differs.")
        self._decide([Decision(key(other), means=meant)])

    def merge(self, names: Sequence[str], into: str) -> None:
        """Several entities become one, under the name of the last."""
        decisions, view = self.decisions(), self.view()
        target = _told_by(decisions, view, into)
        merged = {_told_by(decisions, view, name) for name in names} - {target}
        roots = set(map(view.root, (target, *merged)))
        self._decide(
            [
                *_unnamed(decisions, view, roots),
                *(Decision(each, means=target) for each in merged),
                Decision(target, name=view.called(target)),
            ]
        )

    def rename(self, name: str, to: str) -> None:
        if not to.strip() or len(to) > 200:
            raise InputError("bad_entity_name", "A name has 1 to 200 characters.", "Give a shorter one.")
        decisions, view = self.decisions(), self.view()
        meant = _told_by(decisions, view, name)
        taken = view.root(key(to))
        if taken != view.root(meant) and (other := view.describe([taken]).get(taken)):
            fix = "Merge the two if they are one, or choose another name."
            raise InputError("name_taken", f"There is an entity {other.name} already.", fix)
        self._decide(
            [
                *_unnamed(decisions, view, {view.root(meant)}),
                Decision(key(to), means=meant),
                Decision(meant, name=to.strip()),
            ]
        )

    def forget(self, name: str) -> bool:
        """Take back what was decided about a name; whether there was anything."""
        said = key(name)
        taken_back = [
            Decision(each.key) if each.key == said else replace(each, name="")
            for each in self.decisions()
            if each.key == said or (each.name and key(each.name) == said)
        ]
        self._decide(taken_back)
        return bool(taken_back)

    def _decide(self, decisions: Iterable[Decision]) -> None:
        """All or nothing; of several about one key the last holds, and one that says nothing is dropped."""
        last = {each.key: each for each in decisions}.values()
        self._store.apply(
            Batch(
                records=[
                    Record(_KIND, each.key, {"means": each.means, "name": each.name})
                    for each in last
                    if each.means or each.name
                ],
                drop=[(_KIND, each.key) for each in last if not (each.means or each.name)],
            )
        )


def _told_by(decisions: Iterable[Decision], view: View, name: str) -> str:
    """The key to decide about when an entity is spoken of: one that means no other by decision.

    Never the root, where it can be helped: what stands for all keys changes with the documents.
    """
    resolved = view.resolve(name)
    if resolved.also:
        meant = ", ".join((resolved.entity.name, *resolved.also)[:_TOLD])
        raise InputError("several_entities", f"{name!r} may mean {meant}.", "Name one of them in full.")
    spoken = (key(name), key(resolved.entity.name))
    found = next((each for each in spoken if view.root(each) == resolved.root), resolved.root)
    means = {each.key: each.means for each in decisions if each.means}
    passed: set[str] = set()
    while found in means and found not in passed:
        passed.add(found)
        found = means[found]
    return found


def _unnamed(decisions: Iterable[Decision], view: View, roots: set[str]) -> list[Decision]:
    """What was decided about these entities, without what they were to be called."""
    return [replace(each, name="") for each in decisions if each.name and view.root(each.key) in roots]

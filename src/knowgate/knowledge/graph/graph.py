"""The graph: views of it for each caller, and what people have decided about its names."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from knowgate.errors import InputError
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.graph.joins import Decision
from knowgate.knowledge.graph.view import View
from knowgate.model import EVERYTHING, Filter, Schema
from knowgate.store.port import Batch, Record, Store, scan_all_records

_KIND = "entity_name"
_VIEWS = 8


class Graph:
    def __init__(self, store: Store, schema: Schema) -> None:
        self._store = store
        self._schema = schema
        self._views: OrderedDict[tuple[str, str], View] = OrderedDict()
        self._lock = threading.Lock()

    def view(self, where: Filter = EVERYTHING) -> View:
        """Of the documents let through, as they are now."""
        decisions = self.decisions()
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

    def decisions(self) -> list[Decision]:
        return [Decision(each.id, **each.value) for each in scan_all_records(self._store, _KIND)]

    def alias(self, name: str, other: str) -> None:
        """From now on, and whatever is indexed later, the other name means the entity of the first."""
        root = self.view().resolve(name).root
        if key(other) == root or not key(other):
            raise InputError("bad_alias", f"{other!r} is no other name of {name!r}.", "Give a name that differs.")
        self._decide(Decision(key(other), means=root))

    def merge(self, names: Sequence[str], into: str) -> None:
        """Several entities become one, under the name of the last."""
        view = self.view()
        target = view.resolve(into).root
        for name in names:
            if (root := view.resolve(name).root) != target:
                self._decide(Decision(root, means=target))
        self._decide(Decision(target, name=view.describe([target])[target].name))

    def rename(self, name: str, to: str) -> None:
        if not to.strip() or len(to) > 200:
            raise InputError("bad_entity_name", "A name has 1 to 200 characters.", "Give a shorter one.")
        root = self.view().resolve(name).root
        self._decide(Decision(root, name=to.strip()))
        if key(to) != root:
            self._decide(Decision(key(to), means=root))

    def forget(self, name: str) -> bool:
        """Take back what was decided about a name; whether there was anything."""
        known = self._store.record(_KIND, key(name)) is not None
        self._store.apply(Batch(drop=[(_KIND, key(name))]))
        return known

    def _decide(self, decision: Decision) -> None:
        before = self._store.record(_KIND, decision.key)
        value = {"means": "", "name": ""} | (dict(before.value) if before else {})
        value |= {name: said for name, said in (("means", decision.means), ("name", decision.name)) if said}
        self._store.apply(Batch(records=[Record(_KIND, decision.key, value)]))

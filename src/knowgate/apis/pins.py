"""What an operation looked like when it was accepted. One that looks otherwise waits until a person has looked at it.

Whoever writes an API's description speaks to the assistant: what was harmless when it was added may give orders, or ask
for more, a week later. What is described where it was configured first is accepted with the configuration.

Rules of a policy name operations by their ids, and which API has an id depends on what others there are: so an id is
part of what is accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal, NamedTuple

import orjson

from knowgate.apis.catalogue import Catalogue
from knowgate.apis.compiled import VERSION, Entry
from knowgate.apis.operation import Api, Operation
from knowgate.apis.spec.keywords import closure, references
from knowgate.store.port import Batch, Record, Store

Why = Literal["new", "changed", "renamed"]

_KIND = "api_pin"


class _Look(NamedTuple):
    shape: str
    id: str


@dataclass(frozen=True, slots=True)
class Held:
    """An operation that waits for a person."""

    entry: Entry
    why: Why
    description: str


class Pins:
    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store = store
        self._catalogue = catalogue
        self._apis = catalogue.apis
        self._ids: dict[str, dict[str, str]] = {api: {} for api in self._apis}
        """By API and place, as they are offered."""
        for each in catalogue.list():
            self._ids[each.api][_place(each)] = each.id
        self._differing: dict[str, dict[str, _Look]] = {}
        """What looks otherwise than it was accepted is in these APIs."""
        records = {name: store.record(_KIND, _id(api)) for name, api in self._apis.items()}
        for name, record in records.items():
            self._compare(self._apis[name], record, records)

    def waiting(self, entries: Iterable[Entry]) -> dict[str, Why]:
        """Those among them that wait, by id."""
        if not self._differing:
            return {}
        places = {api: self._waiting(api) for api in self._differing}
        return {each.id: why for each in entries if (why := places.get(each.api, {}).get(_place(each)))}

    def held(self, api: str) -> list[Held]:
        entries = self._catalogue.list(api=api)
        waiting = self.waiting(entries)
        return [
            Held(each, waiting[each.id], self._catalogue.operation(each.id).description)
            for each in entries
            if each.id in waiting
        ]

    def accept(self, api: str, entries: Collection[Entry]) -> None:
        """These may be used as they are now."""
        looks = self._differing.get(api, {})
        accepted = self._accepted(api) | {_place(each): looks[_place(each)] for each in entries}
        whole = all(accepted.get(place) == look for place, look in looks.items())
        # One that is gone is new when it comes back.
        self._keep(api, looks if whole else accepted, self._apis[api].sha256 if whole else "")

    def _compare(self, api: Api, record: Record | None, records: Mapping[str, Record | None]) -> None:
        ids, digest = self._ids[api.name], record.value["sha256"] if record else ""
        if record and (digest, record.value["recipe"], record.value.get("ids")) == (api.sha256, VERSION, ids):
            return
        shapes = {_place(each): shape_of(each, api) for each in self._catalogue.own_operations(api.name)}
        if not shapes and record is None:
            return  # there is nothing yet that anybody could have accepted
        looks = {place: _Look(shape, ids[place]) for place, shape in shapes.items()}
        before = accepted = _looks(record, ids) if record else {}
        if record is None:
            taken = {id for other in records.values() if other for id in other.value.get("ids", {}).values()}
            accepted = {place: look for place, look in looks.items() if look.id not in taken}
        elif digest == api.sha256:
            # Of the same description, another version of ours makes other shapes.
            accepted = {place: look._replace(id=before.get(place, look).id) for place, look in looks.items()}
        if accepted == looks:
            self._keep(api.name, looks, api.sha256)
            return
        self._differing[api.name] = looks
        if accepted != before:
            self._keep(api.name, accepted, digest)

    def _waiting(self, api: str) -> dict[str, Why]:
        # Looked up each time: it may be accepted in another process.
        accepted = self._accepted(api)
        return {
            place: _why(accepted.get(place), look)
            for place, look in self._differing[api].items()
            if accepted.get(place) != look
        }

    def _accepted(self, api: str) -> dict[str, _Look]:
        record = self._store.record(_KIND, _id(self._apis[api]))
        return _looks(record, self._ids[api]) if record else {}

    def _keep(self, api: str, looks: Mapping[str, _Look], digest: str) -> None:
        shapes = {place: look.shape for place, look in looks.items()}
        ids = {place: look.id for place, look in looks.items()}
        value = {"sha256": digest, "recipe": VERSION, "shapes": shapes, "ids": ids}
        self._store.apply(Batch(records=[Record(_KIND, _id(self._apis[api]), value)]))


def _looks(record: Record, ids: Mapping[str, str]) -> dict[str, _Look]:
    """As they were accepted; one of before ids were written down, under the id that it has now."""
    known = record.value.get("ids", ids)
    return {place: _Look(shape, known.get(place, "")) for place, shape in record.value["shapes"].items()}


def _why(accepted: _Look | None, now: _Look) -> Why:
    if accepted is None:
        return "new"
    return "renamed" if accepted.shape == now.shape else "changed"


def shape_of(operation: Operation, api: Api) -> str:
    """A hash of whatever an assistant is told of it, and of what is sent and where."""
    asked = [*(each.schema for each in operation.parameters), *(each.schema for each in operation.bodies)]
    links = {name: list(references(schema)) for name, schema in operation.defs.items()}
    needed = closure((name for schema in asked for name in references(schema)), links)
    shape = replace(
        operation,
        answers=(),
        deprecated=False,
        servers=operation.servers or api.servers,
        defs={name: operation.defs[name] for name in sorted(needed)},
    )
    answers = [(each.status, each.description) for each in operation.answers]
    schemes = [api.schemes.get(name) for way in operation.security for name, _ in way]
    return sha256(orjson.dumps([shape, answers, schemes], option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


def _place(operation: Operation | Entry) -> str:
    return f"{operation.method} {operation.path}"


def _id(api: Api) -> str:
    """Another source under the same name is another API, which somebody has configured."""
    return f"{api.name}:{sha256(api.source.encode()).hexdigest()[:16]}"

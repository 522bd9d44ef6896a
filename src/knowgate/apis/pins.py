"""What an operation looked like when it was accepted. One that looks otherwise waits until a person has looked at it.

Whoever writes an API's description speaks to the assistant: what was harmless when it was added may give orders, or ask
for more, a week later. What is described where it was configured first is accepted with the configuration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

import orjson

from knowgate.apis.catalogue import Catalogue
from knowgate.apis.compiled import VERSION, Entry
from knowgate.apis.operation import Api, Operation
from knowgate.apis.spec.keywords import closure, references
from knowgate.store.port import Batch, Record, Store

Why = Literal["new", "changed"]

_KIND = "api_pin"


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
        self._differing: dict[str, dict[str, str]] = {}
        """The shapes in those APIs that are not described as they were."""
        for api in self._apis.values():
            self._compare(api)

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
        shapes = self._differing.get(api, {})
        accepted = self._accepted(api) | {_place(each): shapes[_place(each)] for each in entries}
        whole = all(accepted.get(place) == shape for place, shape in shapes.items())
        # One that is gone is new when it comes back.
        self._keep(api, shapes if whole else accepted, self._apis[api].sha256 if whole else "")

    def _compare(self, api: Api) -> None:
        record = self._store.record(_KIND, _id(api))
        if record and (record.value["sha256"], record.value["recipe"]) == (api.sha256, VERSION):
            return
        shapes = {_place(each): shape_of(each, api) for each in self._catalogue.own_operations(api.name)}
        if not shapes and record is None:
            return  # there is nothing yet that anybody could have accepted
        # Of the same description, another version of ours makes other shapes.
        if record is None or record.value["sha256"] == api.sha256 or record.value["shapes"] == shapes:
            self._keep(api.name, shapes, api.sha256)
        else:
            self._differing[api.name] = shapes

    def _waiting(self, api: str) -> dict[str, Why]:
        # Looked up each time: it may be accepted in another process.
        accepted = self._accepted(api)
        return {
            place: "changed" if place in accepted else "new"
            for place, shape in self._differing[api].items()
            if accepted.get(place) != shape
        }

    def _accepted(self, api: str) -> dict[str, str]:
        record = self._store.record(_KIND, _id(self._apis[api]))
        return record.value["shapes"] if record else {}

    def _keep(self, api: str, shapes: dict[str, str], digest: str) -> None:
        value = {"sha256": digest, "recipe": VERSION, "shapes": shapes}
        self._store.apply(Batch(records=[Record(_KIND, _id(self._apis[api]), value)]))


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

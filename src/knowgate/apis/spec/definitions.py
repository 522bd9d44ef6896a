"""The schemas of an API: each upgraded once, whoever refers to it, and named so that references can stay references."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable

from knowgate.apis.operation import Schema
from knowgate.apis.spec.keywords import closure, reference_to, references
from knowgate.apis.spec.references import Documents, Spot, Unusable
from knowgate.apis.spec.upgrade import Upgrader, Warn

_LONGEST_CHAIN = 64
_MOST_NEEDED = 2_000_000
"""Definitions times operations that need them. The largest real descriptions have a tenth of this."""
_COMPONENT = re.compile(r"/(?:components/schemas|definitions|\$defs)/([^/]+)")


class Definitions:
    def __init__(self, documents: Documents, warn: Warn, check: Callable[[], None], *, siblings: bool) -> None:
        """`check` is called now and then, and ends the work by an error when it takes too long."""
        self._documents = documents
        self._check = check
        self._siblings = siblings
        self._upgrader = Upgrader(self._refer, warn, siblings=siblings)
        self._schemas: dict[str, Schema] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._known: dict[tuple[str, str], str] = {}
        """By the file where a reference stands, and its text."""
        self._taken: set[str] = set()
        self._waiting: deque[tuple[str, Spot]] = deque()
        self._links: dict[str, tuple[str, ...]] = {}
        self._broken: dict[str, Unusable] = {}
        self._room = _MOST_NEEDED
        self._closures: dict[frozenset[str], dict[str, Schema]] = {}

    def read(self, spot: Spot) -> Schema:
        """The schema at a spot. What it refers to is read along, but never copied into it."""
        schema = self._upgrader.upgrade(spot)
        while self._waiting:
            self._check()
            name, target = self._waiting.popleft()
            try:
                self._schemas[name] = self._upgrader.upgrade(target)
            except Unusable as error:
                self._schemas[name] = True
                self._broken[name] = error
            self._links[name] = tuple(dict.fromkeys(references(self._schemas[name])))
        return schema

    def needed_by(self, schemas: Iterable[Schema]) -> dict[str, Schema]:
        """The definitions that these refer to, directly or not; Unusable when one of them is broken."""
        self._check()
        first = frozenset(name for schema in schemas for name in references(schema))
        if first not in self._closures:
            names = closure(first, self._links)
            self._room -= len(names)
            if self._room < 0:
                raise Unusable("/", "The schemas refer to too many others.")
            self._closures[first] = {name: self._schemas[name] for name in sorted(names)}
        needed = self._closures[first]
        for name in self._broken.keys() & needed.keys():
            raise self._broken[name]
        return needed

    def _refer(self, spot: Spot) -> str:
        key = (spot.file, spot.reference or "")
        if key not in self._known:
            self._known[key] = reference_to(self._define(spot))
        return self._known[key]

    def _define(self, spot: Spot) -> str:
        """The name of what the reference at a spot leads to; it is read later."""
        target = self._documents.target(spot, spot.reference or "")
        for _ in range(_LONGEST_CHAIN):
            if not self._is_alias(target):
                break
            target = self._documents.target(target, target.reference or "")
        else:
            raise Unusable(spot.place, "The reference leads back to itself.")
        if not isinstance(target.value, dict | bool):
            raise Unusable(spot.place, "The reference does not lead to a schema.")
        key = (target.file, target.pointer)
        if key not in self._names:
            self._names[key] = self._name(target)
            self._waiting.append((self._names[key], target))
        return self._names[key]

    def _is_alias(self, target: Spot) -> bool:
        return target.reference is not None and (not self._siblings or len(target.value) == 1)

    def _name(self, target: Spot) -> str:
        component = _COMPONENT.fullmatch(target.pointer)
        words = component[1] if component else f"{target.file.rpartition('/')[2]}{target.pointer}"
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", words).strip("_")[-64:] or "root"
        if name in self._taken:
            name += "_" + hashlib.sha256(f"{target.file}#{target.pointer}".encode()).hexdigest()[:12]
        self._taken.add(name)
        return name

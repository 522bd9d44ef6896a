"""A believable API made from its description alone: it answers with examples, and remembers what it was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from knowgate.apis.operation import Answer, Json, Operation, Schema
from knowgate.apis.sample import Taste, sample
from knowgate.apis.schemas import fields_of
from knowgate.apis.values import is_list, is_object

# An answer is often a list of things in an object, and the things are what it is about.
_TASTE = Taste(side="answer", optional=3)
_VARIABLE = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Answered:
    status: int
    body: bytes = b""
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class _Route:
    operation: Operation
    pattern: re.Pattern[str]
    names: tuple[str, ...]


@dataclass(slots=True)
class _Shelf:
    """What lies in one collection, such as /owners/7/pets."""

    things: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, Json]])
    gone: set[str] = field(default_factory=set[str])


class Mock:
    def __init__(self, operations: Iterable[Operation]) -> None:
        # A path with fewer variables is meant before one with more: /pets/mine before /pets/{id}.
        found = sorted(operations, key=lambda each: len(_VARIABLE.findall(each.path)))
        self._routes = [_route(each) for each in found]
        self._bases = sorted({"", *map(_base, found)}, key=len, reverse=True)
        self._items = {
            each.path.rpartition("/{")[0]: each for each in found if each.path.endswith("}") and each.method == "GET"
        }
        self._shelves: dict[str, _Shelf] = {}
        self._last = 1000

    def answer(self, method: str, path: str, body: bytes = b"") -> Answered:
        """`path` is as it was sent, still encoded."""
        for base in self._bases:
            if path.startswith(f"{base}/") and (found := self._find(method, path[len(base) :])):
                return self._answer(*found, path[len(base) :], body)
        known = {route.operation.method for base in self._bases for route in self._at(path.removeprefix(base))}
        if known:
            return _told(405, {"error": f"{method} is not one of {', '.join(sorted(known))}."})
        return _told(404, {"error": f"There is nothing at {path}."})

    def _at(self, path: str) -> Iterable[_Route]:
        return (route for route in self._routes if route.pattern.fullmatch(path))

    def _find(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        for route in self._at(path):
            match = route.pattern.fullmatch(path)
            if match and route.operation.method == method:
                return route.operation, dict(zip(route.names, map(unquote, match.groups()), strict=True))
        return None

    def _answer(self, operation: Operation, values: Mapping[str, str], path: str, body: bytes) -> Answered:
        answer = _usual(operation)
        status = int(answer.status.upper().replace("XX", "00")) if answer.status[0].isdigit() else 200
        content_type, schema = next(
            ((kind, each) for kind, each in answer.content.items() if "json" in kind),
            next(iter(answer.content.items()), ("", True)),
        )
        made = sample(schema, operation.defs, _TASTE) if content_type else None
        given = _read(body)
        if operation.path.endswith("}"):
            shelf, key = self._shelf(path.rpartition("/")[0]), list(values.values())[-1]
            if key in shelf.gone:
                return _told(404, {"error": f"{key} is gone."})
            field_ = _key_field(operation, schema)
            thing = self._one(operation.method, shelf, key, field_, made, given)
        elif operation.method == "POST" and is_object(given) and (made is None or is_object(made)):
            thing = self._create(operation, path, made or {}, given)
        else:
            thing = self._all(path, made) if operation.method in ("GET", "HEAD") else made
        if not content_type or status == 204:
            return Answered(status)
        if "json" in content_type:
            return Answered(status, orjson.dumps(thing), content_type)
        return Answered(status, str(thing if thing is not None else "").encode(), content_type)

    def _one(self, method: str, shelf: _Shelf, key: str, name: str, made: Json, given: Json) -> Json:
        if method == "DELETE":
            shelf.things.pop(key, None)
            shelf.gone.add(key)
            return made
        kept = shelf.things.get(key)
        if not is_object(made):
            return kept if kept is not None else made
        thing = {**made, **_typed(name, key, made)} if kept is None else kept
        if method in ("PUT", "PATCH", "POST") and is_object(given):
            thing = {**thing, **given, **_typed(name, key, made)}
            shelf.things[key] = thing
        return thing

    def _create(self, operation: Operation, path: str, made: Mapping[str, Json], given: Mapping[str, Json]) -> Json:
        item = self._items.get(operation.path)
        name = _key_field(item, _schema_of(_usual(item))) if item else "id"
        thing = {**made, **given}
        if name not in given:
            self._last += 1
            thing |= _typed(name, str(self._last), made)
        shelf, key = self._shelf(path), str(thing.get(name, self._last))
        shelf.things[key] = thing
        shelf.gone.discard(key)
        return thing

    def _all(self, path: str, made: Json) -> Json:
        """The example, and what was put there since."""
        shelf = self._shelves.get(path.rstrip("/"))
        if shelf is None:
            return made
        added = list(shelf.things.values())
        if is_list(made):
            return [*made, *added]
        if is_object(made):
            for name, value in made.items():
                if is_list(value):
                    return {**made, name: [*value, *added]}
        return made

    def _shelf(self, path: str) -> _Shelf:
        return self._shelves.setdefault(path.rstrip("/"), _Shelf())


def _route(operation: Operation) -> _Route:
    names = tuple(each[1:-1] for each in _VARIABLE.findall(operation.path))
    pattern = "([^/]+)".join(re.escape(each) for each in _VARIABLE.split(operation.path))
    return _Route(operation, re.compile(pattern + "/?"), names)


def _base(operation: Operation) -> str:
    """The path of the server that the description names, when it says one without variables."""
    url = operation.servers[0].url if operation.servers else ""
    path = urlsplit(url).path.rstrip("/")
    return "" if "{" in path else path


def _usual(operation: Operation) -> Answer:
    good = [each for each in operation.answers if each.status.startswith("2")]
    other = [each for each in operation.answers if each.status == "default"]
    return next(iter((*good, *other)), Answer("200"))


def _schema_of(answer: Answer) -> Schema:
    return next(iter(answer.content.values()), True)


def _key_field(operation: Operation, schema: Schema) -> str:
    """What a thing is called by: the variable's own name if things have such a field, else id."""
    variable = _VARIABLE.findall(operation.path)[-1][1:-1]
    known = fields_of(schema, operation.defs)
    return variable if variable in known or "id" not in known else "id"


def _typed(name: str, key: str, made: Mapping[str, Json]) -> dict[str, Any]:
    """The key as the field holds it: a number where the example has one."""
    if name not in made:
        return {}
    number = isinstance(made[name], int) and not isinstance(made[name], bool) and key.lstrip("-").isdecimal()
    return {name: int(key) if number else key}


def _read(body: bytes) -> Json:
    try:
        return orjson.loads(body) if body else None
    except orjson.JSONDecodeError:
        return None


def _told(status: int, body: Mapping[str, Json]) -> Answered:
    return Answered(status, orjson.dumps(dict(body)))

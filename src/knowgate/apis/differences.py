"""What changed between two catalogues, and what of it breaks those who call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from knowgate.apis.catalogue import Catalogue
from knowgate.apis.operation import Answer, Json, Operation, Schema
from knowgate.apis.schemas import Defs, flatten

_LOWER = frozenset("minimum exclusiveMinimum minLength minItems minProperties".split())
_UPPER = frozenset("maximum exclusiveMaximum maxLength maxItems maxProperties".split())
_EXACT = frozenset("pattern const multipleOf".split())
_ALL = ("null", "boolean", "object", "array", "number", "string")
Rule = Callable[[dict[str, Json], dict[str, Json], str], Iterator[str]]


@dataclass(frozen=True, slots=True)
class _Defs:
    old: Defs
    new: Defs


@dataclass(frozen=True, slots=True)
class Change:
    id: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Differences:
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    breaking: tuple[Change, ...] = ()
    """Calls that were right may now be refused, or answered with less."""
    changed: tuple[Change, ...] = ()
    """In any other way."""


def diff(old: Catalogue, new: Catalogue) -> Differences:
    before = {entry.id for entry in old.list()}
    after = {entry.id for entry in new.list()}
    breaking: list[Change] = []
    changed: list[Change] = []
    for id in sorted(before & after):
        one, other = old.operation(id), new.operation(id)
        if one == other:
            continue
        if reasons := tuple(dict.fromkeys(_breaks(one, other))):
            breaking.append(Change(id, reasons))
        else:
            changed.append(Change(id, tuple(_differs(one, other))))
    return Differences(tuple(sorted(after - before)), tuple(sorted(before - after)), tuple(breaking), tuple(changed))


def _differs(old: Operation, new: Operation) -> Iterator[str]:
    for name in (
        "summary",
        "description",
        "tags",
        "parameters",
        "bodies",
        "answers",
        "servers",
        "security",
        "deprecated",
    ):
        if getattr(old, name) != getattr(new, name):
            yield name
    if old.defs != new.defs:
        yield "schemas"


def _breaks(old: Operation, new: Operation) -> Iterator[str]:
    if (old.method, old.path) != (new.method, new.path):
        yield f"was {old.method} {old.path}, is {new.method} {new.path}"
    between = _Defs(old.defs, new.defs)
    yield from _breaks_parameters(old, new, between)
    if new.body_required and not old.body_required:
        yield "the body is required now"
    taken = {each.content_type: each for each in new.bodies}
    for body in old.bodies:
        if body.content_type not in taken:
            yield f"the body is no longer taken as {body.content_type}"
        else:
            yield from _compared(body.schema, taken[body.content_type].schema, between, "body", _narrowed)
    if set(old.security) - set(new.security) or (new.security and not old.security):
        yield "other credentials are needed"
    told = {each.status: each for each in new.answers}
    for answer in old.answers:
        if answer.status.startswith("2"):
            yield from _breaks_answer(answer, told.get(answer.status), between)


def _breaks_parameters(old: Operation, new: Operation, between: _Defs) -> Iterator[str]:
    before = {(each.place, each.name): each for each in old.parameters}
    after = {(each.place, each.name): each for each in new.parameters}
    for place, name in sorted(before.keys() - after.keys()):
        yield f"the {place} parameter {name} is gone"
    for key, parameter in after.items():
        if key not in before:
            if parameter.required:
                yield f"the {parameter.place} parameter {parameter.name} is new and required"
            continue
        was = before[key]
        if parameter.required and not was.required:
            yield f"the {parameter.place} parameter {parameter.name} is required now"
        if replace(was, schema=True, description="", example=None, required=True) != replace(
            parameter, schema=True, description="", example=None, required=True
        ):
            yield f"the {parameter.place} parameter {parameter.name} is written otherwise"
        yield from _compared(was.schema, parameter.schema, between, parameter.name, _narrowed)


def _breaks_answer(old: Answer, new: Answer | None, between: _Defs) -> Iterator[str]:
    if new is None:
        yield f"the answer {old.status} is gone"
        return
    for content_type, schema in old.content.items():
        if content_type not in new.content:
            yield f"the answer {old.status} no longer comes as {content_type}"
        else:
            yield from _compared(schema, new.content[content_type], between, f"answer {old.status}", _lost)


def _compared(old: Schema, new: Schema, between: _Defs, at: str, rule: Rule) -> Iterator[str]:
    """What the rule finds in two schemas and in their parts, each pair of which is looked at once."""
    waiting = deque([(old, new, at)])
    seen: set[tuple[int, int]] = set()
    while waiting:
        one, other, at = waiting.popleft()
        if (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        was, now = flatten(one, between.old), flatten(other, between.new)
        yield from rule(was, now, at)
        before, after = was.get("properties", {}), now.get("properties", {})
        waiting.extend((before[name], after[name], f"{at}.{name}") for name in before if name in after)
        if "items" in was and "items" in now:
            waiting.append((was["items"], now["items"], f"{at}[]"))


def _narrowed(was: dict[str, Json], now: dict[str, Json], at: str) -> Iterator[str]:
    """Where values that were taken are refused now, as far as a look at both can tell."""
    if missing := _types(was) - _types(now):
        yield f"{at} is no longer {' or '.join(sorted(missing))}"
    if "enum" in now and ("enum" not in was or any(each not in now["enum"] for each in was["enum"])):
        yield f"{at} takes fewer values"
    for name in _missing(now.get("required", ()), was.get("required", ())):
        yield f"{at}.{name} is required now"
    if now.get("additionalProperties") is False:
        for name in _missing(was.get("properties", ()), now.get("properties", ())):
            yield f"{at}.{name} is gone"
    for key in sorted(now.keys() & (_LOWER | _UPPER | _EXACT)):
        if key not in was or _tighter(key, was[key], now[key]):
            yield f"{at} has another {key}"


def _lost(was: dict[str, Json], now: dict[str, Json], at: str) -> Iterator[str]:
    """What was promised and is no more."""
    if _types(now) - _types(was):
        yield f"{at} may be of another type"
    properties = now.get("properties", {})
    for name in _missing(was.get("properties", ()), properties):
        yield f"{at}.{name} is gone"
    for name in _missing(was.get("required", ()), now.get("required", ())):
        if name in properties:
            yield f"{at}.{name} may be missing"


def _missing(names: Iterable[str], among: Iterable[str]) -> list[str]:
    return sorted(set(names) - set(among))


def _types(flat: dict[str, Json]) -> set[str]:
    told = flat.get("type", _ALL)
    types = {told} if isinstance(told, str) else set(told)
    return types | {"integer"} if "number" in types else types


def _tighter(key: str, was: Json, now: Json) -> bool:
    if key in _LOWER:
        return now > was
    return now < was if key in _UPPER else now != was

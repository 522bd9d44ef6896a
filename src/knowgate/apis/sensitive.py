"""Where in an answer the description says that something is not for everybody's eyes."""

from __future__ import annotations

from collections.abc import Iterator

from knowgate.apis.operation import Answer, Json, Operation, Schema
from knowgate.apis.schemas import flatten, reachable
from knowgate.apis.values import is_list, is_object

Way = tuple[str, ...]
_DEEPEST = 8
_MOST = 200


def sensitive(operation: Operation, status: int) -> tuple[Way, ...]:
    """The ways to fields that are passwords, write-only or called sensitive; `*` stands for every item."""
    told = {answer.status.upper(): answer for answer in operation.answers}
    answer = told.get(str(status)) or told.get(f"{status // 100}XX") or told.get("DEFAULT")
    if answer is None or not _says_so(answer, operation):
        return ()
    found: dict[Way, None] = {}
    for schema in answer.content.values():
        for way in _ways(schema, operation, (), frozenset()):
            found[way] = None
            if len(found) >= _MOST:
                break
    return tuple(found)


def _says_so(answer: Answer, operation: Operation) -> bool:
    """A look at every schema once: most have nothing to say, and all the ways through them are many."""
    open_: list[Json] = [*answer.content.values(), *reachable(answer.content.values(), operation.defs).values()]
    while open_:
        value = open_.pop()
        if is_object(value):
            if _is_sensitive(value):
                return True
            open_.extend(value.values())
        elif is_list(value):
            open_.extend(value)
    return False


def _is_sensitive(schema: dict[str, Json]) -> bool:
    return schema.get("format") == "password" or schema.get("writeOnly") is True or schema.get("x-sensitive") is True


def _ways(schema: Schema, operation: Operation, way: Way, above: frozenset[str]) -> Iterator[Way]:
    if not is_object(schema) or len(way) > _DEEPEST:
        return
    reference = str(schema.get("$ref", ""))
    if reference in above:
        return  # what lies deeper in a cycle is found by the names of its fields, like everything undescribed
    above = above | ({reference} if reference else frozenset[str]())
    flat = flatten(schema, operation.defs)
    if _is_sensitive(flat):
        yield way
        return
    for word in ("oneOf", "anyOf"):
        for branch in flat.get(word, ()):
            yield from _ways(branch, operation, way, above)
    for name, inner in flat.get("properties", {}).items():
        yield from _ways(inner, operation, (*way, name), above)
    for word in ("items", "additionalProperties"):
        if word in flat:
            yield from _ways(flat[word], operation, (*way, "*"), above)

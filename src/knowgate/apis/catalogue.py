"""All operations of all APIs: listed, found by id, described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase

from knowgate.apis.arguments import BODY, slots
from knowgate.apis.compiled import CompiledApi, Entry
from knowgate.apis.operation import Api, Json, Operation, Schema
from knowgate.apis.sides import for_request
from knowgate.apis.spec.ids import ids_across
from knowgate.apis.spec.keywords import closure, references
from knowgate.errors import InputError, NotFoundError


class Catalogue:
    def __init__(self, compiled: Sequence[CompiledApi]) -> None:
        for name, times in Counter(each.info.name for each in compiled).items():
            if times > 1:
                raise InputError("same_api_twice", f"Two APIs are called {name!r}.", "Give each a name of its own.")
        self._compiled = {each.info.name: each for each in compiled}
        ids = ids_across({name: [entry.id for entry in each.entries] for name, each in self._compiled.items()})
        self._entries: dict[str, tuple[Entry, str]] = {}
        """With the id that the operation has in its own API."""
        for each in compiled:
            for entry in each.entries:
                id = ids[entry.api, entry.id]
                self._entries[id] = (replace(entry, id=id) if id != entry.id else entry, entry.id)

    @property
    def apis(self) -> Mapping[str, Api]:
        """By name; without their operations."""
        return {name: each.info for name, each in self._compiled.items()}

    def list(self, *, api: str = "", method: str = "", tag: str = "", pattern: str = "") -> list[Entry]:
        """The operations that fit all that is asked for. A pattern is a glob over the id or the path."""
        return [
            entry
            for entry, _ in self._entries.values()
            if (not api or entry.api == api)
            and (not method or entry.method == method.upper())
            and (not tag or tag.lower() in (each.lower() for each in entry.tags))
            and (not pattern or fnmatchcase(entry.id, pattern) or fnmatchcase(entry.path, pattern))
        ]

    def renamed_without(self, api: str) -> dict[str, str]:
        """The operations of others that would have another id if the API were not there, and which."""
        rest = Catalogue([each for name, each in self._compiled.items() if name != api])
        then = {(entry.api, own): id for id, (entry, own) in rest._entries.items()}
        return {
            id: then[entry.api, own]
            for id, (entry, own) in self._entries.items()
            if entry.api != api and then[entry.api, own] != id
        }

    def has(self, id: str) -> bool:
        return id in self._entries

    def entry(self, id: str) -> Entry:
        return self._found(id)[0]

    def operation(self, id: str) -> Operation:
        entry, own = self._found(id)
        operation = self._compiled[entry.api].operation(own)
        return replace(operation, id=id) if id != own else operation

    def own_operations(self, api: str) -> Iterator[Operation]:
        """Those of one API, with the ids that they have there."""
        compiled = self._compiled[api]
        return (compiled.operation(entry.id) for entry in compiled.entries)

    def _found(self, id: str) -> tuple[Entry, str]:
        if id not in self._entries:
            raise no_operation(id, self._entries)
        return self._entries[id]

    def arguments_schema(self, operation: Operation) -> dict[str, Json]:
        """What the operation can be called with: each argument by its name, and the body."""
        open_ = slots(operation, list(self._compiled[operation.api].info.schemes.values()))
        properties: dict[str, Schema] = {
            name: _described(each.schema, each.description) for name, each in open_.items()
        }
        required = [name for name, each in open_.items() if each.required]
        if operation.bodies:
            properties[BODY] = _any_of([each.schema for each in operation.bodies])
            required += [BODY] if operation.body_required else []
        links = {name: list(references(schema)) for name, schema in operation.defs.items()}
        needed = closure((name for each in properties.values() for name in references(each)), links)
        schema: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            schema["required"] = required
        if needed:
            schema["$defs"] = {name: operation.defs[name] for name in sorted(needed)}
        return for_request(schema, operation.defs)


def no_operation(id: str, known: Iterable[str]) -> NotFoundError:
    """Naming the nearest of those that the caller may know."""
    near = get_close_matches(id, known, n=3)
    fix = f"Did you mean {' or '.join(near)}?" if near else "List the operations to see what there is."
    return NotFoundError("operation_not_found", f"There is no operation {id[:80]!r}.", fix)


def _described(schema: Schema, description: str) -> Schema:
    if not description:
        return schema
    return {"description": description} | ({} if schema is True else {"not": {}} if schema is False else dict(schema))


def _any_of(schemas: Sequence[Schema]) -> Schema:
    distinct = [each for index, each in enumerate(schemas) if each not in schemas[:index]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}

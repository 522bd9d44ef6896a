"""A filter as SQL over the document table."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from knowgate.errors import InputError
from knowgate.model import Filter

_LONGEST_PATTERN = 10_000
"""In characters: however they are encoded and escaped, SQLite takes as many."""
_ANY_PATTERN = (
    "EXISTS (SELECT 1 FROM json_each(?) pattern"
    " WHERE document.name GLOB pattern.value OR document.source GLOB pattern.value)"
)


def where_sql(where: Filter) -> tuple[str, list[object]]:
    """A condition on `document` and its arguments. Values never become SQL; an empty list matches nothing."""
    conditions: list[str] = []
    arguments: list[object] = []

    def one_of(column: str, values: Sequence[object]) -> str:
        arguments.append(orjson.dumps(values).decode())
        return f"{column} IN (SELECT value FROM json_each(?))"

    if where.ids is not None:
        conditions.append(one_of("document.id", where.ids))
    if where.names is not None:
        exact = [one_of("document.name", where.names), one_of("document.source", where.names)]
        patterns = [_pattern(name) for name in where.names if "*" in name or "?" in name]
        if patterns:
            arguments.append(orjson.dumps(patterns).decode())
            exact.append(_ANY_PATTERN)
        conditions.append("(" + " OR ".join(exact) + ")")
    if where.types is not None:
        conditions.append(f"({one_of('document.type', where.types)} OR {one_of('document.mime', where.types)})")
    if where.owners is not None:
        conditions.append(one_of("document.owner", where.owners))
    if where.modified_from is not None:
        conditions.append("document.modified_at >= ?")
        arguments.append(where.modified_from)
    if where.modified_until is not None:
        conditions.append("document.modified_at < ?")
        arguments.append(where.modified_until)
    for key, values in where.fields.items():
        # json_each instead of a path: a field's name may hold any character.
        arguments.append(key)
        inside = one_of("field.value", values)
        conditions.append(f"EXISTS (SELECT 1 FROM json_each(document.fields) field WHERE field.key = ? AND {inside})")
    if where.without:
        conditions.append(f"NOT {one_of('document.id', where.without)}")
    if where.also is not None:
        also, more = where_sql(where.also)
        conditions.append(also)
        arguments += more
    return " AND ".join(conditions) or "1", arguments


def _pattern(name: str) -> str:
    if len(name) > _LONGEST_PATTERN:
        raise InputError(
            "pattern_too_long",
            f"A pattern for names has {len(name)} characters; {_LONGEST_PATTERN} are allowed.",
            "Use a shorter one, or several.",
        )
    return name.replace("[", "[[]")

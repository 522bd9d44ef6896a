"""A filter as clauses of a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from knowgate.errors import InputError
from knowgate.model import Filter
from knowgate.store.opensearch.rows import field_word

Clause = dict[str, Any]
Names = Iterator[tuple[str, str, str]]
"""Id, name and source of documents."""

_LONGEST_PATTERN = 10_000
_EASY_LENGTH, _EASY_COUNT, _EASY_MARKS = 200, 50, 4
"""Longer or more patterns than an index can follow, or such with more ? behind a *, are compared here."""


def clauses(where: Filter, everybody: Callable[[], Names]) -> list[Clause]:
    """All must hold. `everybody` is asked only for patterns that are beyond an index."""
    found: list[Clause] = []
    if where.ids is not None:
        found.append(_one_of("document", where.ids))
    if where.names is not None:
        found.append(_named(where.names, everybody))
    if where.types is not None:
        found.append(_any(_one_of("type", where.types), _one_of("mime", where.types)))
    if where.owners is not None:
        found.append(_one_of("owner", where.owners))
    if where.modified_from is not None:
        found.append({"range": {"modified_at": {"gte": where.modified_from}}})
    if where.modified_until is not None:
        found.append({"range": {"modified_at": {"lt": where.modified_until}}})
    for key, values in where.fields.items():
        found.append(_one_of("fields", tuple(field_word(key, value) for value in values)))
    if where.without:
        found.append({"bool": {"must_not": [_one_of("document", where.without)]}})
    return found + (clauses(where.also, everybody) if where.also is not None else [])


def _named(names: tuple[str, ...], everybody: Callable[[], Names]) -> Clause:
    patterns = [name for name in names if "*" in name or "?" in name]
    for pattern in patterns:
        if len(pattern) > _LONGEST_PATTERN:
            raise InputError(
                "pattern_too_long",
                f"A pattern for names has {len(pattern)} characters; {_LONGEST_PATTERN} are allowed.",
                "Use a shorter one, or several.",
            )
    exact = [_one_of("name", names), _one_of("source", names)]
    if len(patterns) > _EASY_COUNT or not all(map(_is_easy, patterns)):
        matching = [re.compile(_regular(pattern), re.DOTALL) for pattern in patterns]
        ids = tuple(
            id
            for id, name, source in everybody()
            if any(each.fullmatch(name) or each.fullmatch(source) for each in matching)
        )
        return _any(*exact, _one_of("document", ids))
    globs = [
        {"wildcard": {field: {"value": pattern.replace("\\", "\\\\")}}}
        for pattern in patterns
        for field in ("name", "source")
    ]
    return _any(*exact, *globs)


def _is_easy(pattern: str) -> bool:
    # Each ? behind a * doubles what an index has to keep in mind.
    return len(pattern) <= _EASY_LENGTH and pattern.partition("*")[2].count("?") <= _EASY_MARKS


def _regular(pattern: str) -> str:
    return "".join(".*" if part == "*" else "." if part == "?" else re.escape(part) for part in pattern)


def _one_of(field: str, values: tuple[str, ...]) -> Clause:
    return {"terms": {field: list(values)}}


def _any(*alternatives: Clause) -> Clause:
    return {"bool": {"should": list(alternatives), "minimum_should_match": 1}}

"""Saved filters: which part of the knowledge, under a name. Their wire form is OpenRAG's `queryData`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, TypedDict, cast

import orjson

from knowgate.errors import InputError, NotFoundError
from knowgate.knowledge.search import MAX_LIMIT
from knowgate.knowledge.sources import document_id, is_text
from knowgate.model import Document, Filter, SavedFilter
from knowgate.store.port import Batch, Record, Store, new_id, scan_all_records

DIMENSIONS = ("data_sources", "document_types", "owners", "connector_types")
ANY = "*"
CLIENT_LIMIT = 10
CLIENT_THRESHOLD = 0.0
"""What OpenRAG's clients send when nobody chose: as much as nothing."""

_KIND = "filter"
_CONNECTORS = {"local": ("/*", "?:\\*", "\\\\*", "text:*"), "url": ("http://*", "https://*")}
"""How documents came in, as patterns of their sources."""
_LONGEST_NAME = 100
_LONGEST_TEXT = 4_096


class QueryData(TypedDict):
    """The fields of a saved filter that are `queryData` on the wire."""

    where: Filter
    query: str
    limit: int
    threshold: float
    color: str
    icon: str


class Filters:
    def __init__(self, store: Store) -> None:
        self._store = store

    def create(
        self, owner: str, name: str, description: str = "", query_data: Mapping[str, object] | str | None = None
    ) -> SavedFilter:
        now = time.time()
        saved = SavedFilter(
            # Time first, so that ids sort by age.
            id=new_id(),
            name=_read_name(name),
            description=_text("description", description),
            owner=owner,
            created_at=now,
            updated_at=now,
            **read_query_data(query_data or {}),
        )
        self._store.apply(Batch(records=[_record(saved)]))
        return saved

    def get(self, id: str) -> SavedFilter:
        return _saved(self._record(id))

    def search(self, query: str = "", limit: int = 20, *, only: str | None = None) -> list[SavedFilter]:
        """By name, description or the filter's own question; what is called that first, then newest first.

        `only` is the id of the one filter that may be found.
        """
        if not 1 <= limit <= MAX_LIMIT:
            raise InputError("bad_limit", f"The limit {limit} is out of range.", f"Use 1 to {MAX_LIMIT}.")
        found = (_saved(record) for record in scan_all_records(self._store, _KIND) if only in (None, record.id))
        newest = sorted(found, key=lambda saved: saved.id, reverse=True)
        ranked = [(rank, saved) for saved in newest if (rank := _rank(saved, query.strip().casefold())) is not None]
        return [saved for _, saved in sorted(ranked, key=lambda each: each[0])[:limit]]

    def update(
        self,
        id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        query_data: Mapping[str, object] | str | None = None,
    ) -> SavedFilter:
        """Change what is given. `query_data` is replaced as a whole."""
        while True:
            record = self._record(id)
            saved = replace(_saved(record), updated_at=time.time())
            if name is not None:
                saved = replace(saved, name=_read_name(name))
            if description is not None:
                saved = replace(saved, description=_text("description", description))
            if query_data is not None:
                saved = replace(saved, **read_query_data(query_data))
            if self._store.put_if(_record(saved), record.version):
                return saved

    def delete(self, id: str) -> SavedFilter:
        saved = self.get(id)
        self._store.apply(Batch(drop=[(_KIND, id)]))
        return saved

    def _record(self, id: str) -> Record:
        record = self._store.record(_KIND, id)
        if record is None:
            raise no_such_filter()
        return record


def no_such_filter() -> NotFoundError:
    return NotFoundError("filter_not_found", "There is no such filter.", "List them with `knowgate filters`.")


def read_query_data(given: Mapping[str, object] | str) -> QueryData:
    """From the wire, as an object or as JSON in a string. What is missing or null is no constraint, or the default."""
    told = _object("queryData", _parse(given) if isinstance(given, str) else given)
    return QueryData(
        where=read_dimensions(_object("filters", _or(told.get("filters"), {}))),
        query=_text("query", _or(told.get("query"), "")),
        limit=_limit(_or(told.get("limit"), CLIENT_LIMIT)),
        threshold=_threshold(_or(told.get("scoreThreshold"), CLIENT_THRESHOLD)),
        color=_text("color", _or(told.get("color"), "zinc")),
        icon=_text("icon", _or(told.get("icon"), "filter")),
    )


def query_data(saved: SavedFilter) -> dict[str, Any]:
    """For the wire."""
    return {
        "query": saved.query,
        "filters": _dimensions(saved.where),
        "limit": CLIENT_LIMIT if saved.limit is None else saved.limit,
        "scoreThreshold": CLIENT_THRESHOLD if saved.threshold is None else saved.threshold,
        "color": saved.color,
        "icon": saved.icon,
    }


def read_dimensions(given: Mapping[str, object]) -> Filter:
    """`*` among the values is no constraint; no values at all match nothing."""
    unknown = [name for name in given if name not in DIMENSIONS]
    if unknown:
        # Other unknown keys do no harm, but a constraint that we do not know would show what it was to hide.
        raise InputError(
            "unknown_dimension",
            f"There is no filter by {_shown(str(unknown[0]))}.",
            f"Use {', '.join(DIMENSIONS)}.",
        )
    names, types, owners, connectors = (_values(f"filters.{name}", given.get(name)) for name in DIMENSIONS)
    also = None
    if connectors is not None:
        also = Filter(names=tuple(each for name, by in _CONNECTORS.items() if name in connectors for each in by))
    return Filter(names=names, types=types, owners=owners, also=also)


def merge(
    saved: SavedFilter | None,
    inline: Mapping[str, object] | None = None,
    limit: int = CLIENT_LIMIT,
    threshold: float = CLIENT_THRESHOLD,
) -> tuple[Filter, int, float]:
    """What a request means that names a saved filter: what it says itself comes first, dimension by dimension."""
    said = {name: values for name, values in (inline or {}).items() if values is not None}
    if saved is None:
        return read_dimensions(said), limit, threshold
    if limit == CLIENT_LIMIT and saved.limit is not None:
        limit = saved.limit
    if threshold == CLIENT_THRESHOLD and saved.threshold is not None:
        threshold = saved.threshold
    return read_dimensions({**_dimensions(saved.where), **said}), limit, threshold


def admits(where: Filter, document: Document) -> bool:
    """Whether a document that is to be written lies within a filter, as the stores will say once they have it."""
    return (
        may_admit(where, document.name, document.source, document.owner)
        and (where.types is None or document.type in where.types or document.mime in where.types)
        and (where.modified_from is None or document.modified_at >= where.modified_from)
        and (where.modified_until is None or document.modified_at < where.modified_until)
        and all(key in document.fields and document.fields[key] in values for key, values in where.fields.items())
        and (where.also is None or admits(where.also, document))
    )


def may_admit(where: Filter, name: str, source: str, owner: str) -> bool:
    """Whether a document to be written can lie within a filter; what only reading it tells, such as its type, may."""
    return (
        (where.ids is None or document_id(source) in where.ids)
        and document_id(source) not in where.without
        and (where.names is None or any(_fits(pattern, each) for pattern in where.names for each in (name, source)))
        and (where.owners is None or owner in where.owners)
        and (where.also is None or may_admit(where.also, name, source, owner))
    )


def _fits(pattern: str, name: str) -> bool:
    return pattern == name or fnmatchcase(name, pattern.replace("[", "[[]"))


def _dimensions(where: Filter) -> dict[str, list[str]]:
    by_source = where.also.names if where.also else None
    connectors = None
    if by_source is not None:
        connectors = tuple(name for name, patterns in _CONNECTORS.items() if set(patterns) <= set(by_source))
    found = (where.names, where.types, where.owners, connectors)
    return {name: [ANY] if values is None else list(values) for name, values in zip(DIMENSIONS, found, strict=True)}


def _record(saved: SavedFilter) -> Record:
    value = {
        "name": saved.name,
        "description": saved.description,
        "owner": saved.owner,
        "query_data": query_data(saved),
        "created_at": saved.created_at,
        "updated_at": saved.updated_at,
    }
    return Record(_KIND, saved.id, value)


def _saved(record: Record) -> SavedFilter:
    value = dict(record.value)
    terms = read_query_data(value.pop("query_data"))
    return SavedFilter(id=record.id, **value, **terms)


def _rank(saved: SavedFilter, wanted: str) -> int | None:
    """0 is best; None does not fit."""
    name = saved.name.casefold()
    if not wanted or name == wanted:
        return 0
    if wanted in name:
        return 1
    return 2 if wanted in saved.description.casefold() or wanted in saved.query.casefold() else None


def _parse(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _bad("queryData", "JSON") from error


def _or(given: object, default: object) -> object:
    return default if given is None else given


def _object(field: str, given: object) -> Mapping[str, object]:
    if not isinstance(given, Mapping):
        raise _bad(field, "an object")
    return cast("Mapping[str, object]", given)


def _values(field: str, given: object) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list | tuple):
        raise _bad(field, "a list of texts")
    values = tuple(_text(field, each) for each in cast("list[object]", given))
    return None if ANY in values else values


def _text(field: str, given: object) -> str:
    if not isinstance(given, str) or len(given) > _LONGEST_TEXT or not is_text(given):
        raise _bad(field, f"text of at most {_LONGEST_TEXT} characters")
    return given


def _limit(given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= MAX_LIMIT:
        raise _bad("limit", f"a whole number from 1 to {MAX_LIMIT}")
    return given


def _threshold(given: object) -> float:
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 <= given <= 1:
        raise _bad("scoreThreshold", "a number from 0 to 1")
    return float(given)


def _read_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not is_text(name):
        raise InputError(
            "bad_filter_name", "A filter needs a name.", f"Give it one of 1 to {_LONGEST_NAME} characters."
        )
    return name


def _bad(field: str, expected: str) -> InputError:
    return InputError("bad_query_data", f"{field} is not {expected}.", "Correct it and send it again.")


def _shown(text: str) -> str:
    return repr(text[:_LONGEST_NAME])

"""The knowledge graph."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from knowgate import calls
from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Given, Limit
from knowgate.doors.rest.routes import refusals, subject
from knowgate.model import Direction, EntityPage, GraphStats, Path, Relations, Schema, Stream, Trace
from knowgate.wire import Done, EntitySearchAnswer

router = subject("graph")
_UNKNOWN = refusals(404)
_Depth = Annotated[int, Field(ge=1, le=20)]


class EntityQuery(Given):
    query: str = ""
    type: str = ""
    limit: Limit = 20
    cursor: str = ""


class EntitySearch(Given):
    query: Annotated[str, Field(min_length=1)]
    type: str = ""
    limit: Limit = 10


class RelationQuery(Given):
    entity: str
    direction: Direction = "both"
    limit: Limit = 100


class TraceQuery(Given):
    entity: str
    direction: Stream
    depth: _Depth = 10


class PathQuery(Given):
    start: Annotated[str, Field(alias="from")]
    end: Annotated[str, Field(alias="to")]
    max_depth: _Depth = 5
    any_direction: bool = False


class Merge(Given):
    names: Annotated[list[str], Field(min_length=1)]
    into: str


class Rename(Given):
    name: str
    to: str


class Forget(Given):
    name: str


class Alias(Given):
    name: str
    alias: str


@router.get("/graph/entities")
def entities(engine: Caller, asked: Annotated[EntityQuery, Query()]) -> EntityPage:
    """Entities by a part of their name or description, the surest first."""
    return engine.entities(asked.query, type=asked.type, limit=asked.limit, cursor=asked.cursor)


@router.get("/graph/entities/search", responses=refusals(409, 502))
def search_entities(engine: Caller, asked: Annotated[EntitySearch, Query()]) -> EntitySearchAnswer:
    """Entities by meaning."""
    return calls.search_entities(engine, asked.query, asked.type, asked.limit)


@router.get("/graph/relations", responses=_UNKNOWN)
def relations(engine: Caller, asked: Annotated[RelationQuery, Query()]) -> Relations:
    return engine.relations(asked.entity, direction=asked.direction, limit=asked.limit)


@router.get("/graph/trace", responses=_UNKNOWN)
def trace(engine: Caller, asked: Annotated[TraceQuery, Query()]) -> Trace:
    """Where things flow to, or come from, as a tree."""
    return engine.trace(asked.entity, direction=asked.direction, depth=asked.depth)


@router.get("/graph/path", responses=_UNKNOWN)
def path(engine: Caller, asked: Annotated[PathQuery, Query()]) -> Path:
    """The shortest path; `relations` is null when there is none."""
    return engine.path(asked.start, asked.end, max_depth=asked.max_depth, any_direction=asked.any_direction)


@router.get("/graph/stats")
def stats(engine: Caller) -> GraphStats:
    return engine.graph_stats()


@router.get("/graph/schema")
def schema(engine: Caller) -> Schema:
    return engine.graph_schema()


@router.post("/graph/merge", responses=_UNKNOWN)
def merge(engine: Caller, asked: Merge) -> Done:
    """Several entities become one, for good."""
    engine.merge_entities(asked.names, asked.into)
    return Done(True, f"They are {asked.into} now.")


@router.post("/graph/rename", responses=_UNKNOWN)
def rename(engine: Caller, asked: Rename) -> Done:
    engine.rename_entity(asked.name, asked.to)
    return Done(True, f"It is called {asked.to} now.")


@router.post("/graph/forget")
def forget(engine: Caller, asked: Forget) -> Done:
    """Take back what was decided about a name."""
    known = engine.forget_entity_name(asked.name)
    return Done(known, f"Nothing is decided about {asked.name} any more." if known else "Nothing was decided about it.")


@router.post("/graph/alias", responses=_UNKNOWN)
def alias(engine: Caller, asked: Alias) -> Done:
    """Another name for an entity, for good."""
    engine.alias_entity(asked.name, asked.alias)
    return Done(True, f"{asked.alias} means {asked.name} now.")

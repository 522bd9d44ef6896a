"""Saved knowledge filters."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from knowgate import answers
from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Given, Limit
from knowgate.doors.rest.routes import refusals, subject
from knowgate.wire import Done, FilterAnswer, FilterCreated, FilterList

router = subject("knowledge filters")
_UNKNOWN = refusals(404)


class NewFilter(Given):
    name: str
    description: str | None = ""
    query_data: dict[str, Any] | str = Field(default_factory=dict[str, Any], alias="queryData")


class FilterChange(Given):
    name: str | None = None
    description: str | None = None
    query_data: dict[str, Any] | str | None = Field(default=None, alias="queryData")


class FilterQuery(Given):
    query: str = ""
    limit: Limit = 20


@router.post("/knowledge-filters", status_code=201)
def create(engine: Caller, asked: NewFilter) -> FilterCreated:
    """Keep a filter under a name. `queryData` is an object, or the same as JSON in a string."""
    saved = engine.create_filter(asked.name, asked.description or "", asked.query_data)
    return FilterCreated(True, saved.id, answers.saved_filter(saved))


@router.post("/knowledge-filters/search")
def search(engine: Caller, asked: FilterQuery) -> FilterList:
    """By name, description or query; an empty query lists all."""
    return FilterList(True, [answers.saved_filter(saved) for saved in engine.filters(asked.query, asked.limit)])


@router.get("/knowledge-filters/{filter_id}", responses=_UNKNOWN)
def get(engine: Caller, filter_id: str) -> FilterAnswer:
    return FilterAnswer(True, answers.saved_filter(engine.filter(filter_id)))


@router.put("/knowledge-filters/{filter_id}", responses=_UNKNOWN)
def change(engine: Caller, filter_id: str, asked: FilterChange) -> FilterAnswer:
    saved = engine.update_filter(filter_id, name=asked.name, description=asked.description, query_data=asked.query_data)
    return FilterAnswer(True, answers.saved_filter(saved))


@router.delete("/knowledge-filters/{filter_id}", responses=_UNKNOWN)
def delete(engine: Caller, filter_id: str) -> Done:
    engine.delete_filter(filter_id)
    return Done(True, "The filter was deleted.")

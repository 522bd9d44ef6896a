"""Searching."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from knowgate import answers
from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Filters, SearchQuery, SearchRequest, narrowed
from knowgate.doors.rest.routes import refusals, subject
from knowgate.engine import Engine
from knowgate.wire import SearchAnswer

router = subject("search")
_REFUSALS = refusals(404, 409, 502)


@router.get("/search", responses=_REFUSALS)
def search_by_link(engine: Caller, asked: Annotated[SearchQuery, Query()]) -> SearchAnswer:
    """Find passages, with everything in the address."""
    return _search(engine, asked, None)


@router.post("/search", responses=_REFUSALS)
def search(engine: Caller, asked: SearchRequest) -> SearchAnswer:
    """Find passages. The query `*` lists all."""
    return _search(engine, asked, asked.filters)


def _search(engine: Engine, asked: SearchQuery, filters: Filters | None) -> SearchAnswer:
    where, limit, threshold = narrowed(engine, asked, filters)
    found = engine.search(
        asked.query, mode=asked.mode, limit=limit, threshold=threshold, where=where, cursor=asked.cursor
    )
    return answers.search(found)

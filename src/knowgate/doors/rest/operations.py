"""What APIs can do: found, described and called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Given, Limit
from knowgate.doors.rest.routes import refusals, subject
from knowgate.engine.calling import MOST_PAGES
from knowgate.model import ApiInfo, OperationAnswer, OperationDetail, OperationPage

router = subject("operations")


class OperationQuery(Given):
    query: str = ""
    api: str = ""
    tag: str = ""
    method: str = ""
    limit: Limit = 20
    cursor: str = ""


class More(Given):
    cursor: Annotated[str, Field(min_length=1)]


class Run(Given):
    parameters: Mapping[str, Any] | None = None
    body: Any = None
    fields: tuple[str, ...] = ()
    dry_run: bool = False
    auth_profile: str = ""
    environment: str = ""
    max_pages: Annotated[int, Field(ge=1, le=MOST_PAGES)] = 1


@router.get("/apis")
def list_apis(engine: Caller) -> list[ApiInfo]:
    return engine.apis()


@router.get("/operations")
def list_operations(engine: Caller, asked: Annotated[OperationQuery, Query()]) -> OperationPage:
    """All that may be called, or with a query those that fit it, the best first."""
    return engine.operations(**asked.model_dump())


@router.get("/operations/more", responses=refusals(404))
def read_more(engine: Caller, asked: Annotated[More, Query()]) -> OperationAnswer:
    """What had no room in an answer."""
    return engine.more_of(asked.cursor)


@router.get("/operations/{operation_id}", responses=refusals(404))
def describe_operation(engine: Caller, operation_id: str) -> OperationDetail:
    return engine.describe_operation(operation_id)


@router.post("/operations/{operation_id}/run", responses=refusals(404, 409, 502))
def run_operation(engine: Caller, operation_id: str, asked: Run) -> OperationAnswer:
    """Call it. What the API answers is an answer, whatever its status."""
    return engine.run_operation(operation_id, **asked.model_dump())

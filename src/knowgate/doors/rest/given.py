"""What callers send."""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from knowgate import calls
from knowgate.doors.rest.refusals import unknown_name
from knowgate.engine import Engine
from knowgate.model import Filter, SearchMode

Limit = Annotated[int, Field(ge=1, le=1000)]
Threshold = Annotated[float, Field(ge=0, le=1)]


class Given(BaseModel):
    """A name that we do not know is refused: an ignored filter would show what it was to hide."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known_names(cls, given: object) -> object:
        if isinstance(given, dict):
            names = [field.alias or name for name, field in cls.model_fields.items()]
            for name in cast("dict[str, object]", given):
                if name not in names:
                    raise unknown_name(name, names)
        return cast("object", given)


class Filters(Given):
    """`*` in a list is no constraint, an empty list matches nothing."""

    data_sources: list[str] | None = None
    document_types: list[str] | None = None
    owners: list[str] | None = None
    connector_types: list[str] | None = None


class SearchQuery(Given):
    query: str
    limit: Limit | None = None
    score_threshold: Threshold = 0.0
    mode: SearchMode = "hybrid"
    cursor: str = ""
    filter_id: str | None = None


class SearchRequest(SearchQuery):
    filters: Filters | None = None


class ChatRequest(Given):
    message: str
    stream: bool = False
    limit: Limit | None = None
    score_threshold: Threshold = 0.0
    chat_id: str | None = None
    filters: Filters | None = None
    filter_id: str | None = None


def narrowed(
    engine: Engine, asked: SearchQuery | ChatRequest, filters: Filters | None
) -> tuple[Filter, int | None, float]:
    """Which documents, how many passages and how good they must be, by the saved filter and what was sent with it."""
    sent = filters.model_dump(exclude_none=True) if filters else {}
    return calls.narrowed(engine, asked.filter_id, sent, asked.limit, asked.score_threshold)

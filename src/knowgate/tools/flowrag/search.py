"""flowrag_search and flowrag_search_entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from knowgate.tools.backend import Backend
from knowgate.tools.text import fit
from knowgate.tools.tool import Answer, Call, Given, Tool

if TYPE_CHECKING:
    from knowgate.wire import Result

_SHOWN = 300
Mode = Literal["hybrid", "naive", "local", "global"]


class SearchInput(Given):
    query: Annotated[str, Field(min_length=1, max_length=10_000, description="A question or words.")]
    mode: Annotated[
        Mode, Field(description="naive: by meaning; local: by entities; global: by relations; hybrid: all.")
    ] = "hybrid"
    limit: Annotated[int, Field(ge=1, le=100)] = 5


class EntitySearchInput(Given):
    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    type: Annotated[str | None, Field(description="Such as SERVICE.")] = None


@dataclass(frozen=True, slots=True)
class Found:
    source: str
    """vector or graph."""
    score: float
    content: str
    file: str
    headings: list[str] | None = None
    page: int | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Results:
    results: list[Found]
    warnings: list[str] | None = None
    left_out: int | None = None


@dataclass(frozen=True, slots=True)
class FoundEntity:
    name: str
    type: str
    score: float
    description: str


@dataclass(frozen=True, slots=True)
class FoundEntities:
    entities: list[FoundEntity]


async def _search(backend: Backend, given: SearchInput, _: Call) -> Answer:
    found = await backend.search(given.query, {"mode": given.mode, "limit": given.limit})
    results = [_found(each) for each in found.results]
    kept = fit(results, lambda each: len(each.content))
    shown = Results(kept, list(found.warnings) or None, len(results) - len(kept) or None)
    blocks = [f"Found {len(kept)} results:"] if kept else ["No results found."]
    blocks += [_block(number, each) for number, each in enumerate(kept, 1)]
    blocks += [f"Warning: {each}" for each in found.warnings]
    if shown.left_out:
        blocks.append(f"Warning: {shown.left_out} more had no room: narrow the search.")
    return Answer(shown, "\n\n".join(blocks))


async def _search_entities(backend: Backend, given: EntitySearchInput, _: Call) -> Answer:
    answer = await backend.search_entities(given.query, given.type or "", given.limit)
    found = [
        FoundEntity(each.entity.name, each.entity.type, each.score, each.entity.description) for each in answer.results
    ]
    if not found:
        return Answer(FoundEntities([]), "No entities found.")
    lines = [f"Found {len(found)} entities:"]
    for number, each in enumerate(found, 1):
        lines.append(f"{number}. [{each.type}] {each.name} (score: {each.score:.4f})")
        lines += [f"   {each.description}"] if each.description else []
    return Answer(FoundEntities(found), "\n".join(lines))


def _found(result: Result) -> Found:
    return Found(
        "graph" if result.by_graph else "vector",
        result.score,
        result.text,
        result.filename,
        list(result.headings) or None,
        result.page,
        result.start,
        result.end,
    )


def _block(number: int, each: Found) -> str:
    where = each.file + (f", page {each.page}" if each.page else "")
    where += f": {' > '.join(each.headings)}" if each.headings else ""
    text = each.content[:_SHOWN].replace("\n", "\n   ")
    return f"{number}. [{each.source}] score: {each.score:.4f}\n   {text}\n   Source: {where}"


SEARCH = Tool(
    name="flowrag_search",
    does="knowgate_search",
    title="Search",
    description=(
        "Find passages in the indexed documents. hybrid is right for most questions; local when it names things, "
        'global for how things hang together. Example: {"query": "who consumes order events", "mode": "local"}'
    ),
    input=SearchInput,
    output=Results,
    run=_search,
)
SEARCH_ENTITIES = Tool(
    name="flowrag_search_entities",
    does="knowgate_entities",
    title="Search entities",
    description=(
        "Entities by meaning, with scores. For a part of a name use flowrag_entities. "
        'Example: {"query": "payment processing", "type": "SERVICE"}'
    ),
    input=EntitySearchInput,
    output=FoundEntities,
    run=_search_entities,
)

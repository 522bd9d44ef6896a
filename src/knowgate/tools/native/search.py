"""knowgate_search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from knowgate.tools.backend import Backend
from knowgate.tools.text import counted, fit, window
from knowgate.tools.tool import Answer, Call, Given, Tool

if TYPE_CHECKING:
    from knowgate.wire import Result, SearchAnswer

Mode = Literal["hybrid", "naive", "local", "global", "keyword", "vector"]
Format = Literal["concise", "detailed"]
_CONCISE = 500
"""Characters of a passage that are shown unless the whole is asked for."""


class SearchInput(Given):
    query: Annotated[str, Field(min_length=1, max_length=10_000, description="A question or words; * lists all.")]
    mode: Annotated[
        Mode, Field(description="keyword: exact words; naive: meaning; local: by entities; global: by relations.")
    ] = "hybrid"
    limit: Annotated[int | None, Field(ge=1, le=100, description="Usually 10.")] = None
    score_threshold: Annotated[float, Field(ge=0, le=1)] = 0
    filter_id: Annotated[str | None, Field(description="A saved filter.")] = None
    data_sources: Annotated[list[str] | None, Field(description='File names or patterns: ["guides/*"].')] = None
    document_types: Annotated[list[str] | None, Field(description='Such as ["pdf", "markdown"].')] = None
    cursor: Annotated[str, Field(description="From the last answer, for the next passages.")] = ""
    response_format: Annotated[Format, Field(description="detailed: whole passages and their places.")] = "concise"


@dataclass(frozen=True, slots=True)
class Passage:
    filename: str
    score: float
    text: str
    page: int | None = None
    headings: list[str] | None = None
    document_id: str | None = None
    start: int | None = None
    end: int | None = None
    source_url: str | None = None


@dataclass(frozen=True, slots=True)
class Passages:
    results: list[Passage]
    mode: str
    cursor: str | None = None
    left_out: int | None = None
    """How many found passages had no room."""
    warnings: list[str] | None = None


async def _search(backend: Backend, given: SearchInput, _: Call) -> Answer:
    found = await backend.search(
        given.query,
        {
            "mode": given.mode,
            "limit": given.limit,
            "score_threshold": given.score_threshold,
            "filter_id": given.filter_id,
            "data_sources": given.data_sources,
            "document_types": given.document_types,
            "cursor": given.cursor,
        },
    )
    shown = shape(found, given.response_format)
    return Answer(shown, render(shown))


def shape(found: SearchAnswer, how: Format) -> Passages:
    passages = [_detailed(each) if how == "detailed" else _concise(each) for each in found.results]
    kept = fit(passages, lambda each: len(_render(0, each)))
    # The cursor leads behind all that was found, so it is of no use when something was left out.
    left_out = len(passages) - len(kept)
    return Passages(
        kept,
        found.mode,
        None if left_out else found.cursor or None,
        left_out or None,
        list(found.warnings) or None,
    )


def render(shown: Passages) -> str:
    if not shown.results:
        lines = [
            "No passage fits. Try other words, a lower score_threshold or no filter; knowgate_stats tells whether"
            " there are documents at all."
        ]
    else:
        lines = [f"{counted(len(shown.results), 'passage')} ({shown.mode} search):"]
        lines += [_render(number, each) for number, each in enumerate(shown.results, 1)]
    lines += [f"Note: {warning}" for warning in shown.warnings or ()]
    if shown.left_out:
        lines.append(
            f"{counted(shown.left_out, 'more passage')} had no room: call again with limit {len(shown.results)}, "
            "then with the cursor, or with response_format concise."
        )
    if shown.cursor:
        lines.append(f'More: call again with cursor "{shown.cursor}".')
    return "\n\n".join(lines)


def place(filename: str, page: int | None, headings: list[str] | None) -> str:
    """Where a passage stands, as people say it."""
    where = f"{filename}, page {page}" if page else filename
    return f"{where}: {' > '.join(headings)}" if headings else where


def _concise(result: Result) -> Passage:
    text = window(result.text, result.highlights, _CONCISE)
    return Passage(result.filename, round(result.score, 3), text, result.page, list(result.headings) or None)


def _detailed(result: Result) -> Passage:
    return Passage(
        result.filename,
        round(result.score, 3),
        result.text,
        result.page,
        list(result.headings) or None,
        result.document_id or None,
        result.start,
        result.end,
        result.source_url,
    )


def _render(number: int, each: Passage) -> str:
    about = f"{number}. {place(each.filename, each.page, each.headings)} (score {each.score:.2f})"
    if each.document_id is not None:
        about += f"\ndocument {each.document_id}, characters {each.start} to {each.end}"
        about += f", from {each.source_url}" if each.source_url else ""
    return f"{about}\n{each.text}"


SEARCH = Tool(
    name="knowgate_search",
    title="Search documents",
    description=(
        "Find passages in the user's documents by meaning and words. Use it first for anything the documents may "
        "know; use knowgate_chat instead for one finished answer. Scores are 0 to 1. "
        'Example: {"query": "how long do refunds take", "document_types": ["pdf"]}'
    ),
    input=SearchInput,
    output=Passages,
    run=_search,
)

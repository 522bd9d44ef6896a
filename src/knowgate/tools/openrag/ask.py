"""openrag_chat and openrag_search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from knowgate.tools.backend import Backend
from knowgate.tools.text import cut, fit
from knowgate.tools.tool import Answer, Call, Given, Hints, Tool
from knowgate.tools.watch import with_heartbeat
from knowgate.wire import ChatReply, Result

_LONGEST_PASSAGE = 500
Limit = Annotated[int, Field(ge=1, le=1000, description="Maximum number of results.")]
Threshold = Annotated[float, Field(ge=0, le=1, description="Minimum relevance.")]
FilterId = Annotated[str | None, Field(description="Knowledge filter to apply.")]


class ChatInput(Given):
    message: Annotated[str, Field(min_length=1, description="The question or message.")]
    chat_id: Annotated[str | None, Field(description="Goes on with an earlier conversation.")] = None
    filter_id: FilterId = None
    limit: Limit = 10
    score_threshold: Threshold = 0


class SearchInput(Given):
    query: Annotated[str, Field(min_length=1, description="What to look for.")]
    limit: Limit = 10
    score_threshold: Threshold = 0
    filter_id: FilterId = None
    data_sources: Annotated[list[str] | None, Field(description="File names to search in.")] = None
    document_types: Annotated[list[str] | None, Field(description="Media types, such as application/pdf.")] = None


@dataclass(frozen=True, slots=True)
class Source:
    filename: str
    score: float
    page: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    response: str
    sources: list[Source]
    chat_id: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    results: list[Source]
    left_out: int | None = None


async def _chat(backend: Backend, given: ChatInput, call: Call) -> Answer:
    asking = backend.chat(
        given.message,
        chat_id=given.chat_id,
        filter_id=given.filter_id,
        limit=given.limit,
        score_threshold=given.score_threshold,
    )
    reply = await with_heartbeat(call, "answering", asking)
    sources = [Source(each.filename, round(each.score, 3), each.page) for each in reply.sources]
    return Answer(Reply(reply.response, sources, reply.chat_id), chat_text(reply))


async def _search(backend: Backend, given: SearchInput, _: Call) -> Answer:
    found = await backend.search(
        given.query,
        {
            "limit": given.limit,
            "score_threshold": given.score_threshold,
            "filter_id": given.filter_id,
            "data_sources": given.data_sources,
            "document_types": given.document_types,
        },
    )
    parts = list(map(_part, range(1, len(found.results) + 1), found.results))
    shown = fit(parts, len)
    results = [
        Source(each.filename, round(each.score, 3), each.page, cut(each.text, _LONGEST_PASSAGE))
        for each in found.results[: len(shown)]
    ]
    left_out = len(parts) - len(shown)
    return Answer(Found(results, left_out or None), search_text(shown, left_out))


def chat_text(reply: ChatReply) -> str:
    text = reply.response
    if reply.sources:
        listed = [
            f"\n{number}. {each.filename} (relevance: {each.score:.2f})" for number, each in enumerate(reply.sources, 1)
        ]
        text += "\n\n---\n**Sources:**" + "".join(listed)
    if reply.chat_id:
        text += f"\n\n_Chat ID: {reply.chat_id}_"
    return text


def search_text(parts: Sequence[str], left_out: int = 0) -> str:
    if not parts:
        return "No results found."
    more = f"\n---\n{left_out} more had no room: use a smaller limit or narrow the search.\n" if left_out else ""
    return f"Found {len(parts) + left_out} result(s):\n{''.join(parts)}{more}"


def _part(number: int, result: Result) -> str:
    page = f" (page {result.page})" if result.page else ""
    text = cut(result.text, _LONGEST_PASSAGE)
    return f"\n---\n**{number}. {result.filename}**{page}\nRelevance: {result.score:.2f}\n\n{text}\n"


CHAT = Tool(
    name="openrag_chat",
    does="knowgate_chat",
    title="Chat",
    description=(
        "Send a message and get an answer from the knowledge base, with its sources. To read passages yourself use "
        'openrag_search. Example: {"message": "What is our refund policy?"}'
    ),
    input=ChatInput,
    output=Reply,
    run=_chat,
    hints=Hints(read_only=False, idempotent=False, open_world=True),
    pace="chat",
)
SEARCH = Tool(
    name="openrag_search",
    does="knowgate_search",
    title="Search",
    description=(
        "Search the knowledge base by meaning and words; passages with file, page and relevance come back, for you to "
        'read. Example: {"query": "refund policy", "limit": 5}'
    ),
    input=SearchInput,
    output=Found,
    run=_search,
)

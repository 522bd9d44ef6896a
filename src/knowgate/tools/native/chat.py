"""knowgate_chat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowgate.tools.backend import Backend
from knowgate.tools.native.search import place
from knowgate.tools.tool import Answer, Call, Given, Hints, Tool
from knowgate.tools.watch import with_heartbeat

if TYPE_CHECKING:
    from knowgate.wire import ChatReply


class ChatInput(Given):
    message: Annotated[str, Field(min_length=1, max_length=100_000)]
    chat_id: Annotated[str | None, Field(description="From an earlier answer, to go on with it.")] = None
    filter_id: Annotated[str | None, Field(description="A saved filter.")] = None
    limit: Annotated[int | None, Field(ge=1, le=100, description="How many sources; usually 10.")] = None
    score_threshold: Annotated[float, Field(ge=0, le=1)] = 0


@dataclass(frozen=True, slots=True)
class Source:
    number: int
    filename: str
    score: float
    cited: bool
    page: int | None = None
    headings: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    response: str
    answered: bool
    sources: list[Source]
    chat_id: str | None = None
    task_id: str | None = None
    warnings: list[str] | None = None


async def _chat(backend: Backend, given: ChatInput, call: Call) -> Answer:
    asking = backend.chat(
        given.message,
        chat_id=given.chat_id,
        filter_id=given.filter_id,
        limit=given.limit,
        score_threshold=given.score_threshold,
    )
    reply = await with_heartbeat(call, "answering", asking)
    shown = shape(reply)
    return Answer(shown, render(shown))


def shape(reply: ChatReply) -> Reply:
    sources = [
        Source(
            number, each.filename, round(each.score, 3), number in reply.cited, each.page, list(each.headings) or None
        )
        for number, each in enumerate(reply.sources, 1)
    ]
    return Reply(reply.response, reply.answered, sources, reply.chat_id, reply.task_id, list(reply.warnings) or None)


def render(shown: Reply) -> str:
    lines = [shown.response]
    if not shown.answered:
        lines.append("(The documents do not answer this.)")
    if shown.sources:
        listed = [
            f"[{each.number}] {place(each.filename, each.page, each.headings)} (score {each.score:.2f}"
            f"{', cited' if each.cited else ''})"
            for each in shown.sources
        ]
        lines.append("\n".join(["Sources:", *listed]))
    lines += [f"Note: {warning}" for warning in shown.warnings or ()]
    if shown.task_id:
        lines.append(f"Task: {shown.task_id}")
    if shown.chat_id:
        lines.append(f"chat_id: {shown.chat_id}")
    return "\n\n".join(lines)


CHAT = Tool(
    name="knowgate_chat",
    title="Ask the documents",
    description=(
        "One finished answer from the user's documents, with numbers [1] that count its sources; it says so when the "
        "documents do not answer. Use knowgate_search to read passages yourself. The conversation is kept: pass "
        'chat_id to go on. Example: {"message": "Who approves refunds above 500?"}'
    ),
    input=ChatInput,
    output=Reply,
    run=_chat,
    # It writes the conversation down, and asks a model that may be elsewhere.
    hints=Hints(read_only=False, idempotent=False, open_world=True),
    pace="chat",
)

"""Chat and the conversations that are kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from knowgate import answers
from knowgate.doors.rest.callers import Caller, Chatter
from knowgate.doors.rest.given import ChatRequest, Limit, narrowed
from knowgate.errors import KnowgateError
from knowgate.wire import ChatReply, ConversationDetail, ConversationList, Done

if TYPE_CHECKING:
    from knowgate.knowledge.chat.chat import Event

router = APIRouter(tags=["chat"])
log = logging.getLogger("knowgate")
_PING_SECONDS = 10.0
"""Clients give up on a stream that is silent for half a minute."""
_STREAM = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, events of the types sources, content, warning, error and done.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.post("/chat", response_model=ChatReply, responses=_STREAMED)
async def chat(engine: Chatter, asked: ChatRequest) -> ChatReply | StreamingResponse:
    """Ask. The answer quotes or words what the documents say, with numbers that count its sources."""
    from knowgate.knowledge.chat.chat import Done as Finished

    where, limit, threshold = await asyncio.to_thread(narrowed, engine, asked, asked.filters)
    events = engine.stream_chat(
        asked.message, chat_id=asked.chat_id or "", where=where, limit=limit, threshold=threshold
    )
    # What is wrong with the message is told by a status, and so before the stream begins.
    first = await anext(events)
    if asked.stream:
        return StreamingResponse(_lines(first, events), media_type="text/event-stream", headers=_STREAM)
    answer = first.answer if isinstance(first, Finished) else None
    async for event in events:
        answer = event.answer if isinstance(event, Finished) else answer
    assert answer
    return answers.chat(answer)


@router.get("/chat")
def conversations(engine: Caller, limit: Annotated[Limit, Query()] = 100, cursor: str = "") -> ConversationList:
    """The caller's conversations, latest first."""
    page = engine.chats(limit=limit, cursor=cursor)
    return ConversationList([answers.conversation(chat) for chat in page.chats], page.cursor)


@router.get("/chat/{chat_id}")
def conversation(engine: Caller, chat_id: str) -> ConversationDetail:
    return answers.conversation_detail(engine.get_chat(chat_id))


@router.delete("/chat/{chat_id}")
def delete_conversation(engine: Caller, chat_id: str) -> Done:
    engine.delete_chat(chat_id)
    return Done(True, "The conversation was deleted.")


async def _lines(first: Event, events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    yield _line(_event(first))
    waiting = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events, None))
            done, _ = await asyncio.wait({waiting}, timeout=_PING_SECONDS)
            if not done:
                yield b": still here\n\n"
                continue
            event, waiting = waiting.result(), None
            if event is None:
                return
            yield _line(_event(event))
    except KnowgateError as error:
        yield _line({"type": "error", **error.as_dict()})
        yield _line({"type": "done", "chat_id": None, "answered": False})
    except Exception as error:
        # The status is sent long since: a client that waits must be told in the stream.
        log.exception("chat stream failed")
        sentence = f"Something went wrong ({type(error).__name__}); the server's own output says more."
        yield _line({"type": "error", "error": sentence, "code": "internal_error"})
        yield _line({"type": "done", "chat_id": None, "answered": False})
    finally:
        if waiting:
            waiting.cancel()
        await events.aclose()


def _event(event: Event) -> dict[str, Any]:
    from knowgate.knowledge.chat.chat import Delta, Sources, Warned

    match event:
        case Sources(hits):
            return {"type": "sources", "sources": [asdict(answers.result(hit)) for hit in hits]}
        case Delta(text):
            return {"type": "content", "delta": text}
        case Warned(text):
            return {"type": "warning", "warning": text}
        case _:
            reply = answers.chat(event.answer)
            return {
                "type": "done",
                "chat_id": reply.chat_id,
                "answered": reply.answered,
                "cited": reply.cited,
                "warnings": reply.warnings,
                "task_id": reply.task_id,
            }


def _line(event: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(event) + b"\n\n"

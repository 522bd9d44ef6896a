"""Chat and the conversations that are kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from anyio import CancelScope
from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from knowgate import answers
from knowgate.doors.rest.callers import Caller, Chatter
from knowgate.doors.rest.given import ChatRequest, Limit, narrowed
from knowgate.doors.rest.routes import refusals, subject
from knowgate.errors import KnowgateError
from knowgate.wire import ChatReply, ConversationDetail, ConversationList, Done

if TYPE_CHECKING:
    from knowgate.knowledge.chat.chat import Event

router = subject("chat")
log = logging.getLogger("knowgate")
_PING_SECONDS = 10.0
"""Clients give up on a stream that is silent for half a minute."""
_PING = b": still here\n\n"
_STREAM = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def _one_of(*events: dict[str, dict[str, Any]]) -> dict[str, Any]:
    kinds = [{"type": "object", "properties": event, "required": list(event)} for event in events]
    said = {"type": "string", "contentMediaType": "application/json", "contentSchema": {"oneOf": kinds}}
    return {"type": "object", "properties": {"data": said}, "required": ["data"]}


_TEXT = {"type": "string"}
_RESULTS = {"type": "array", "items": {"$ref": "#/components/schemas/Result"}}
_EVENT = _one_of(
    {"type": {"const": "sources"}, "sources": _RESULTS},
    {"type": {"const": "content"}, "delta": _TEXT},
    {"type": {"const": "warning"}, "warning": _TEXT},
    {"type": {"const": "error"}, "error": _TEXT, "code": _TEXT},
    {"type": {"const": "done"}, "chat_id": {"type": ["string", "null"]}, "answered": {"type": "boolean"}},
)
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream` as events, of which `done` is the last.",
        "content": {"text/event-stream": {"itemSchema": _EVENT}},
    }
}


@router.post("/chat", response_model=ChatReply, responses={**_STREAMED, **refusals(404, 502)})
async def chat(engine: Chatter, request: Request, asked: ChatRequest) -> ChatReply | Response:
    """Ask. The answer quotes or words what the documents say, with numbers that count its sources."""
    where, limit, threshold = await asyncio.to_thread(narrowed, engine, asked, asked.filters)
    events = engine.stream_chat(
        asked.message, chat_id=asked.chat_id or "", where=where, limit=limit, threshold=threshold
    )
    if not asked.stream:
        return await _whole(request, events)
    first = _next(events)
    # What is wrong with the message is told by a status, and so before the stream begins.
    if (await asyncio.wait({first}, timeout=_PING_SECONDS))[0]:
        first.result()
    return StreamingResponse(_lines(first, events), media_type="text/event-stream", headers=_STREAM)


@router.get("/chat")
def conversations(engine: Caller, limit: Annotated[Limit, Query()] = 100, cursor: str = "") -> ConversationList:
    """The caller's conversations, latest first."""
    page = engine.chats(limit=limit, cursor=cursor)
    return ConversationList([answers.conversation(chat) for chat in page.chats], page.cursor)


@router.get("/chat/{chat_id}", responses=refusals(404))
def conversation(engine: Caller, chat_id: str) -> ConversationDetail:
    return answers.conversation_detail(engine.get_chat(chat_id))


@router.delete("/chat/{chat_id}", responses=refusals(404))
def delete_conversation(engine: Caller, chat_id: str) -> Done:
    engine.delete_chat(chat_id)
    return Done(True, "The conversation was deleted.")


async def _whole(request: Request, events: AsyncGenerator[Event]) -> ChatReply | Response:
    """The answer at its end; when the client does not wait for it, nobody does."""
    answering = asyncio.ensure_future(_last(events))
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return answering.result() if answering.done() else Response(status_code=204)
    finally:
        await _end(leaving)
        await _end(answering)


async def _last(events: AsyncGenerator[Event]) -> ChatReply:
    from knowgate.knowledge.chat.chat import Done as Finished

    async with aclosing(events):
        [answer] = [event.answer async for event in events if isinstance(event, Finished)]
    return answers.chat(answer)


def _next(events: AsyncGenerator[Event]) -> asyncio.Future[Event | None]:
    return asyncio.ensure_future(anext(events, None))


async def _end(work: asyncio.Future[Any]) -> None:
    """Whoever is cancelled himself still sees to it that what he began has ended."""
    with CancelScope(shield=True):
        work.cancel()
        await asyncio.wait({work})
        if not work.cancelled():
            work.exception()


async def _lines(waiting: asyncio.Future[Event | None], events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    try:
        while True:
            if not (await asyncio.wait({waiting}, timeout=_PING_SECONDS))[0]:
                yield _PING
            elif event := waiting.result():
                yield _line(_event(event))
                waiting = _next(events)
            else:
                return
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
        await _end(waiting)
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

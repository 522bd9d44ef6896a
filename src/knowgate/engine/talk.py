"""Chat: a message in, an answer with its sources out, and the conversation kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from knowgate.engine.gated import AlreadyInside, gated
from knowgate.engine.showing import Showing
from knowgate.engine.work import Work
from knowgate.model import EVERYTHING, Chat, ChatAnswer, Filter, Message, Task

if TYPE_CHECKING:
    from knowgate.knowledge.chat.chat import Event
    from knowgate.knowledge.chat.history import ChatPage

_WAIT_SECONDS = 20.0
"""For an address to be ingested: clients have patience for half a minute."""


class Talk(Work):
    def chat(
        self,
        message: str,
        *,
        chat_id: str = "",
        where: Filter = EVERYTHING,
        limit: int | None = None,
        threshold: float = 0.0,
    ) -> ChatAnswer:
        """The answer as a whole. Not for use inside an event loop: `stream_chat` is."""
        from knowgate.knowledge.chat.chat import Done

        async def collect() -> ChatAnswer:
            events = self.stream_chat(message, chat_id=chat_id, where=where, limit=limit, threshold=threshold)
            return [event.answer async for event in events if isinstance(event, Done)][-1]

        return asyncio.run(collect())

    async def stream_chat(
        self,
        message: str,
        *,
        chat_id: str = "",
        where: Filter = EVERYTHING,
        limit: int | None = None,
        threshold: float = 0.0,
    ) -> AsyncGenerator[Event]:
        """The answer as it comes. The last event is Done; then the conversation has been written down."""
        from knowgate.knowledge.chat.history import check_message

        self.may("read", "chat")
        check_message(message)
        given = {"message": message, "chat_id": chat_id, "where": where, "limit": limit, "threshold": threshold}
        passing = self.passing("chat", "read", given)
        # Nothing of it is marked as being inside of a call: what the message starts, such as an ingestion, is its own.
        showing = await asyncio.to_thread(passing.__enter__)
        with AlreadyInside(passing):
            events = self._answer(message, chat_id, where, limit, threshold, showing)
            async with aclosing(events):
                async for event in events:
                    yield event

    async def _answer(
        self, message: str, chat_id: str, where: Filter, limit: int | None, threshold: float, showing: Showing
    ) -> AsyncGenerator[Event]:
        from knowgate.knowledge.chat.chat import Ask, Done
        from knowgate.knowledge.chat.urls import ingest_request

        # Looked up once: if it is changed meanwhile, the conversation is not kept with those of another view.
        bound = await asyncio.to_thread(self._bound)
        owner = self._chat_owner(bound)
        chat = await asyncio.to_thread(self.rooms.chats.get, owner, chat_id) if chat_id else None
        # Only what the caller himself wrote is ever taken as a request: never a document, never an earlier answer.
        addresses = await asyncio.to_thread(ingest_request, message)
        if addresses:
            events = self._bring_in(addresses)
        else:
            visible = where if bound is None else where.within(bound)
            visible = await asyncio.to_thread(self._visible_to, "chat", visible)
            most = self.settings.search.limit if limit is None else limit
            history = chat.messages if chat else ()
            events = self.rooms.answering.stream(Ask(message, history, most, threshold, visible, showing))
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Done):
                    kept = await asyncio.to_thread(self._keep, owner, chat, message, event.answer.text)
                    event = Done(replace(event.answer, chat_id=kept))
                yield event

    @gated("chats")
    def chats(self, *, limit: int = 100, cursor: str = "") -> ChatPage:
        """Latest first."""
        self.may("read")
        return self.rooms.chats.list(self._chat_owner(self._bound()), limit, cursor)

    @gated("chats")
    def get_chat(self, chat_id: str) -> Chat:
        self.may("read")
        return self.rooms.chats.get(self._chat_owner(self._bound()), chat_id)

    @gated("delete_chat", changes=True)
    def delete_chat(self, chat_id: str) -> None:
        self.may("read")
        self.rooms.chats.delete(self._chat_owner(self._bound()), chat_id)

    def _keep(self, owner: str, chat: Chat | None, message: str, answer: str) -> str:
        chats = self.rooms.chats
        id = chat.id if chat else chats.start(owner, message).id
        now = time.time()
        chats.append(owner, id, [Message("user", message, now), Message("assistant", answer, now)])
        return id

    def _chat_owner(self, bound: Filter | None) -> str:
        """Conversations belong to the caller. Once he may see other things than before, the old ones are not shown."""
        if bound is None:
            return self.principal.id
        return f"{self.principal.id}.{sha256(repr(bound).encode()).hexdigest()[:16]}"

    async def _bring_in(self, addresses: Sequence[str]) -> AsyncGenerator[Event]:
        from knowgate.knowledge.chat.chat import Delta, Done

        task = await asyncio.to_thread(self.submit, addresses)
        if not self.rooms.attended:
            task = await asyncio.to_thread(self.run, task.id)
        for _ in range(int(_WAIT_SECONDS / 0.1)):
            if task.finished:
                break
            await asyncio.sleep(0.1)
            task = await asyncio.to_thread(self.task, task.id)
        text = await asyncio.to_thread(self._told, task)
        yield Delta(text)
        yield Done(ChatAnswer(text, (), (), task.status != "failed", task_id=task.id))

    def _told(self, task: Task) -> str:
        if not task.finished:
            return f"The ingestion of {', '.join(task.sources)} has started. Task ID: {task.id}"
        lines: list[str] = []
        for file in self.rooms.tasks.results(task.id):
            if file.error:
                lines.append(f"{file.source} could not be ingested: {file.error['error']} {file.error['fix']}".strip())
            elif file.status == "skipped":
                lines.append(f"{file.source} is in the knowledge base already and has not changed.")
            else:
                lines.append(f"{file.source} was ingested ({file.chunks} passages).")
        return "\n".join([*lines, f"Task ID: {task.id}"])

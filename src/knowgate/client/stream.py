"""A chat answer as it comes."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

from knowgate.client.answers import parse
from knowgate.client.errors import ConnectionFailed, ServerError
from knowgate.wire import ChatReply, Result


@dataclass(frozen=True, slots=True)
class Content:
    """The next piece of the text."""

    delta: str


@dataclass(frozen=True, slots=True)
class Sources:
    """All of them; a later one replaces an earlier one."""

    sources: list[Result]


@dataclass(frozen=True, slots=True)
class Done:
    chat_id: str | None = None
    cited: tuple[int, ...] = ()
    answered: bool = True
    warnings: tuple[str, ...] = ()
    task_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Failure:
    error: str
    code: str = "chat_failed"
    fix: str = ""


ChatEvent = Content | Sources | Done


class Heard:
    """What has come so far."""

    def __init__(self) -> None:
        self.text = ""
        self.sources: list[Result] = []
        self._done: Done | None = None

    @property
    def chat_id(self) -> str | None:
        return self._done.chat_id if self._done else None

    def hear(self, data: str) -> ChatEvent | None:
        """Take in one message; None if it is of a kind that we do not know."""
        event = _read_event(data)
        match event:
            case Content():
                self.text += event.delta
            case Sources():
                self.sources = event.sources
            case Done():
                self._done = event
            case None:
                pass
        return event

    def reply(self) -> ChatReply:
        if self._done is None:
            raise ConnectionFailed("stream_cut", "The answer broke off before its end.", "Ask again.")
        done = self._done
        return ChatReply(self.text, done.chat_id, self.sources, done.cited, done.answered, done.warnings, done.task_id)


def _read_event(data: str) -> ChatEvent | None:
    try:
        given: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    said = cast("dict[str, object]", given)
    match said.get("type"):
        case "content":
            return parse(Content, said)
        case "sources":
            return parse(Sources, said)
        case "done":
            return parse(Done, said)
        case "error":
            failure = parse(_Failure, said)
            raise ServerError(failure.code, failure.error, failure.fix)
        case _:
            return None


class ChatStream(Heard):
    """Iterate for the events; `final()` reads on to the end and gives the whole answer."""

    def __init__(self, messages: AbstractContextManager[Iterator[str]]) -> None:
        super().__init__()
        self._events = self._read(messages)

    def _read(self, messages: AbstractContextManager[Iterator[str]]) -> Generator[ChatEvent]:
        with messages as arriving:
            for data in arriving:
                if event := self.hear(data):
                    yield event
        self.reply()

    def final(self) -> ChatReply:
        for _ in self._events:
            pass
        return self.reply()

    def close(self) -> None:
        self._events.close()

    def __iter__(self) -> Iterator[ChatEvent]:
        return self._events

    def __enter__(self) -> ChatStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncChatStream(Heard):
    """Iterate for the events; `final()` reads on to the end and gives the whole answer."""

    def __init__(self, messages: AbstractAsyncContextManager[AsyncIterator[str]]) -> None:
        super().__init__()
        self._events = self._read(messages)

    async def _read(self, messages: AbstractAsyncContextManager[AsyncIterator[str]]) -> AsyncGenerator[ChatEvent]:
        async with messages as arriving:
            async for data in arriving:
                if event := self.hear(data):
                    yield event
        self.reply()

    async def final(self) -> ChatReply:
        async for _ in self._events:
            pass
        return self.reply()

    async def aclose(self) -> None:
        await self._events.aclose()

    def __aiter__(self) -> AsyncIterator[ChatEvent]:
        return self._events

    async def __aenter__(self) -> AsyncChatStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from knowgate.client import AsyncClient, Client

# So that the tests below can say `from loopback import …`.
sys.path.insert(0, str(Path(__file__).parent))

from loopback import Answer, Asked, serving
from memory import Memory


@dataclass(frozen=True)
class Server:
    base_url: str
    key: str


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with no documents, and a key that may do everything."""
    key = "orag_" + "k" * 43
    with serving(Memory(key)) as base_url:
        yield Server(base_url, key)


class Script:
    """A server that gives these answers in turn, the last one again and again."""

    def __init__(self, base_url: str, answers: list[Answer], asked: list[Asked]) -> None:
        self.base_url = base_url
        self.answers = answers
        self.asked = asked


@pytest.fixture
def script() -> Iterator[Script]:
    answers: list[Answer] = []
    asked: list[Asked] = []

    def respond(question: Asked) -> Answer:
        asked.append(question)
        return answers[min(len(asked), len(answers)) - 1]

    with serving(respond) as base_url:
        yield Script(base_url, answers, asked)


class Awaited:
    """An `AsyncClient` as seen by a test that does not await: calls are made, iterators and streams are read whole."""

    def __init__(self, real: Any, portal: BlockingPortal) -> None:
        self._real = real
        self._portal = portal

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if inspect.iscoroutinefunction(found):
            return lambda *given, **named: self._portal.call(partial(found, *given, **named))
        if inspect.isasyncgenfunction(found):
            return lambda *given, **named: iter(self._portal.call(_all, found(*given, **named)))
        return Awaited(found, self._portal)


async def _all(items: Any) -> list[Any]:
    return [item async for item in items]


OpenClient = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def open_client(request: pytest.FixtureRequest) -> Iterator[OpenClient]:
    """Opens a `Client`, or an `AsyncClient` behind the same face."""
    if request.param == "sync":
        clients: list[Client] = []

        def open_sync(*given: Any, **named: Any) -> Client:
            clients.append(Client(*given, **named))
            return clients[-1]

        yield open_sync
        for client in clients:
            client.close()
        return
    with start_blocking_portal() as portal:
        opened: list[AsyncClient] = []

        def open_async(*given: Any, **named: Any) -> Awaited:
            opened.append(AsyncClient(*given, **named))
            return Awaited(opened[-1], portal)

        yield open_async
        for each in opened:
            portal.call(each.aclose)


@pytest.fixture
def client(server: Server, open_client: OpenClient) -> Any:
    return open_client(server.key, base_url=server.base_url)


@pytest.fixture
def scripted(script: Script, open_client: OpenClient) -> Any:
    return open_client("orag_k", base_url=script.base_url)

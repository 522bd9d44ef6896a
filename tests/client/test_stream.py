"""A streamed answer: typed events, the whole answer at the end, and no failure that passes for an end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, events, stream

from knowgate.client import AsyncClient, Client, ConnectionFailed, Content, Done, ServerError, Sources, ValidationError
from knowgate.client.stream import Heard
from knowgate.wire import ChatReply, Result

pytestmark = pytest.mark.anyio

SOURCE = {"filename": "a.md", "text": "Otters hold hands.", "score": 0.9}
SAID = events(
    {"type": "content", "delta": "Otters \u2028"},
    {"type": "content", "delta": "float. [1]"},
    {"type": "thought", "delta": "…"},
    {"type": "sources", "sources": [SOURCE]},
    {"type": "done", "chat_id": "c1", "answered": True, "cited": [1], "warnings": ["Slow."], "task_id": None},
)
WHOLE = ChatReply("Otters \u2028float. [1]", "c1", [Result(**SOURCE)], (1,), True, ("Slow.",), None)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_events_come_in_order(script: Any) -> None:
    # Cut anywhere, even within a character.
    whole = b": ping\n\n" + b"".join(SAID) + b"data: {broken\n\n"
    script.answers[:] = [stream(*(whole[at : at + 7] for at in range(0, len(whole), 7)))]
    with Client(base_url=script.base_url) as client, client.chat.stream("otters?", limit=3) as answer:
        got = list(answer)
        assert (answer.text, answer.chat_id, answer.sources) == (WHOLE.response, "c1", WHOLE.sources)
        assert answer.final() == WHOLE
    assert [type(event) for event in got] == [Content, Content, Sources, Done]
    assert script.asked[0].json == {"message": "otters?", "stream": True, "limit": 3}


async def test_events_come_in_order_when_awaited(script: Any) -> None:
    script.answers[:] = [stream(*SAID)]
    async with AsyncClient(base_url=script.base_url) as client, client.chat.stream("otters?") as answer:
        got = [event async for event in answer]
        assert await answer.final() == WHOLE
    assert [type(event) for event in got] == [Content, Content, Sources, Done]


def test_the_whole_answer_can_be_had_at_once(script: Any) -> None:
    script.answers[:] = [stream(*SAID)]
    with Client(base_url=script.base_url) as client:
        assert client.chat.stream("otters?").final() == WHOLE


async def test_the_whole_answer_can_be_awaited_at_once(script: Any) -> None:
    script.answers[:] = [stream(*SAID)]
    async with AsyncClient(base_url=script.base_url) as client:
        assert await client.chat.stream("otters?").final() == WHOLE


FAILURE = events({"type": "error", "error": "The model is down.", "code": "model_down", "fix": "Start it."})[0]


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (stream(SAID[0], FAILURE, SAID[-1]), ServerError, "model_down"),
        (stream(*SAID[:2]), ConnectionFailed, "stream_cut"),
        (stream(*SAID[:2], cut=True), ConnectionFailed, "connection_lost"),
        (stream(*events({"type": "content", "delta": 7})), ServerError, "bad_answer"),
        (Answer({"response": "not streamed"}), ServerError, "bad_answer"),
        (Answer({"error": "Blank.", "code": "blank_message"}, 400), ValidationError, "blank_message"),
    ],
)
async def test_a_failure_is_raised(script: Any, answer: Answer, kind: type[ServerError], code: str) -> None:
    script.answers[:] = [answer]
    with Client(base_url=script.base_url) as client, client.chat.stream("otters?") as plain:
        with pytest.raises(kind) as caught:
            list(plain)
        assert caught.value.code == code
        with pytest.raises(ConnectionFailed):
            plain.final()
    async with AsyncClient(base_url=script.base_url) as client, client.chat.stream("otters?") as awaited:
        with pytest.raises(kind) as caught:
            await awaited.final()
        assert caught.value.code == code
    assert len(script.asked) == 2


def test_an_answer_left_early_gives_its_connection_back(script: Any) -> None:
    script.answers[:] = [stream(*SAID)]
    with Client(base_url=script.base_url) as client:
        # More often than the pool has connections.
        for _ in range(120):
            with client.chat.stream("otters?") as answer:
                assert next(iter(answer)) == Content("Otters \u2028")
        assert client.chat.stream("otters?").final() == WHOLE


async def test_an_answer_left_early_gives_its_connection_back_when_awaited(script: Any) -> None:
    script.answers[:] = [stream(*SAID)]
    async with AsyncClient(base_url=script.base_url) as client:
        for _ in range(120):
            async with client.chat.stream("otters?") as answer:
                async for event in answer:
                    assert event == Content("Otters \u2028")
                    break
        assert await client.chat.stream("otters?").final() == WHOLE


@given(st.lists(st.text()), st.text())
def test_the_text_is_all_that_was_said(deltas: list[str], noise: str) -> None:
    heard = Heard()
    for delta in deltas:
        assert heard.hear(json.dumps({"type": "content", "delta": delta})) == Content(delta)
    heard.hear(json.dumps({"type": f"x{noise}", "delta": noise}))
    heard.hear(json.dumps({"type": "done", "chat_id": None}))
    assert heard.reply().response == "".join(deltas)


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_what_is_no_event_is_passed_over(data: str) -> None:
    assert Heard().hear(data) is None

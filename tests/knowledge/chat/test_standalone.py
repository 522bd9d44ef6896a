from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.chat.models import create_model
from knowgate.knowledge.chat.standalone import ask_standalone, standalone
from knowgate.model import Message
from model_server import ModelServer

MESSAGES = st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), st.text(max_size=300), st.just(0.0)))


def said(*turns: str) -> list[Message]:
    return [Message("assistant" if n % 2 else "user", turn, 0.0) for n, turn in enumerate(turns)]


@pytest.mark.parametrize(
    ("message", "turns", "needed"),
    [
        ("and for Germany?", ("How high is the VAT on books?", "It is 5 % in France. [1]"), ["VAT", "books"]),
        ("how long does it take?", ("How do refunds work?", "To the card."), ["refunds"]),
        ("what about the second one?", ("Which payment methods are there?", "Card."), ["payment", "methods"]),
        ("When was she born?", ("Who founded the shop?", "It was founded by Maria Keller."), ["Maria Keller"]),
        ("why?", ("Is the warranty void after opening the case?", "Yes."), ["warranty", "case"]),
        ("Und in Deutschland?", ("Wie hoch ist die Mehrwertsteuer?", "5 %."), ["Mehrwertsteuer"]),
        ("how long?", ("How high is the VAT?", "5 %.", "and for Germany?", "7 %."), ["VAT", "Germany"]),
    ],
)
def test_a_follow_up_gets_what_it_leaves_out(message: str, turns: tuple[str, ...], needed: list[str]) -> None:
    question = standalone(message, said(*turns))
    assert question.startswith(message)
    assert all(word in question for word in needed)


@pytest.mark.parametrize(
    "message",
    [
        "How long does it take to get a refund for shoes?",
        "Is it possible to return worn shoes?",
        "Who is the author of the backup script?",
        "vacuum interval",
        "What does the policy that governs returns say about worn shoes?",
    ],
)
def test_a_question_of_its_own_stays_as_it_is(message: str) -> None:
    assert standalone(message, said("Which payment methods are there?", "Card and PayPal.")) == message


@given(st.text())
def test_without_a_history_nothing_changes(message: str) -> None:
    assert standalone(message, []) == message


@given(st.text(min_size=1), MESSAGES)
def test_it_begins_with_the_message_and_stays_short(message: str, history: list[Message]) -> None:
    question = standalone(message, history)
    assert question.startswith(message.rstrip())
    assert len(question) <= len(message) + 250


@pytest.mark.anyio
async def test_a_model_words_it(server: ModelServer) -> None:
    server.words = ('"How high is the VAT ', 'on books in Germany?"\n')
    model = create_model("openai", "small", base_url=server.base_url)
    history = said("How high is the VAT on books?", "5 %. [1]")
    assert await ask_standalone(model, "and for Germany?", history) == "How high is the VAT on books in Germany?"
    assert "Assistant: 5 %." in server.requests[0]["messages"][-1]["content"]


@pytest.mark.anyio
@pytest.mark.parametrize("trouble", ["broken", "cut", "empty", "malformed"])
async def test_a_model_that_fails_is_done_without(server: ModelServer, trouble: str) -> None:
    server.trouble = trouble  # type: ignore[assignment]
    model = create_model("openai", "small", base_url=server.base_url)
    history = said("How high is the VAT on books?", "5 %.")
    asked = "and for Germany?"
    assert await ask_standalone(model, asked, history) == standalone(asked, history)


@pytest.mark.anyio
async def test_a_model_that_rambles_is_not_listened_to(server: ModelServer) -> None:
    server.words = ("Well, " * 100, "and so on. " * 100)
    model = create_model("openai", "small", base_url=server.base_url)
    history = said("How high is the VAT on books?", "5 %.")
    assert await ask_standalone(model, "why?", history) == standalone("why?", history)

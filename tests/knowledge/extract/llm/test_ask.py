"""Real requests of the real OpenAI provider to a server that fails in every way we know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from knowgate.errors import InputError
from knowgate.knowledge.extract.llm.ask import Answer, opened, reach
from knowgate.knowledge.extract.llm.prompt import MORE
from knowgate.model import DEFAULT_SCHEMA, ModelUse
from model_server import ModelServer, Trouble

pytestmark = pytest.mark.anyio
KEY = "sk-very-secret"
ANSWER = {"entities": [{"name": "Ledger", "type": "SERVICE"}, {"name": "Quill"}], "relations": []}


async def put(server: ModelServer, gleaning: int = 0, timeout_seconds: float = 30.0) -> tuple[Answer, list[float]]:
    """The answer, and how long was waited between tries."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    connection = reach("openai", "small", base_url=server.base_url, api_key=KEY, timeout_seconds=timeout_seconds)
    async with opened(connection, DEFAULT_SCHEMA, gleaning, sleep) as asking:
        answer = await asking("What stands here?")
    if answer.error:
        assert KEY not in str(answer.error)
        assert answer.error.fix
    return answer, waited


def names(answer: Answer) -> list[str]:
    return [each.name for each in answer.found.entities]


async def test_a_good_answer(server: ModelServer) -> None:
    server.words = tuple(json.dumps(ANSWER))
    server.tokens = (120, 30)
    answer, waited = await put(server)
    assert (names(answer), answer.error, waited) == (["Ledger", "Quill"], None, [])
    assert not answer.found.cut
    assert answer.use == ModelUse(1, 0, 120, 30, None)
    (sent,) = server.requests
    assert sent["messages"][0]["role"] == "system"
    assert "SERVICE, DATABASE" in sent["messages"][0]["content"]
    assert sent["messages"][1] == {"role": "user", "content": "What stands here?"}
    assert sent["response_format"]["json_schema"]["schema"]["required"] == ["entities", "relations"]


async def test_an_answer_that_reached_its_length_counts_as_far_as_it_goes(server: ModelServer) -> None:
    text = json.dumps(ANSWER)
    server.words = (text[: text.index("Quill") - 3],)
    server.trouble = "truncated"
    answer, _ = await put(server)
    assert names(answer) == ["Ledger"]
    assert answer.found.cut


async def test_who_is_told_to_wait_waits(server: ModelServer) -> None:
    server.words = (json.dumps(ANSWER),)
    server.trouble, server.times = "rate_limited", 2
    answer, waited = await put(server)
    assert (names(answer), waited) == (["Ledger", "Quill"], [7.0, 7.0])


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        ("rate_limited", "model_rate_limited"),
        ("broken", "model_failed"),
        ("cut", "model_cut_off"),
        ("ended", "model_cut_off"),
        ("malformed", "model_malformed"),
        ("senseless", "model_malformed"),
        ("empty", "model_malformed"),
        ("error_event", "model_failed"),
    ],
)
async def test_trouble_that_lasts_is_tried_four_times(server: ModelServer, trouble: Trouble, code: str) -> None:
    server.words = (*json.dumps(ANSWER), "")
    server.trouble = trouble
    answer, waited = await put(server)
    assert answer.error is not None
    assert (answer.error.code, len(server.requests), answer.hopeless) == (code, 4, False)
    assert waited == ([7.0, 7.0, 7.0] if trouble == "rate_limited" else [1.0, 2.0, 4.0])


@pytest.mark.parametrize("trouble", ["broken", "cut", "ended", "malformed", "senseless", "empty", "error_event"])
async def test_trouble_that_passes_costs_a_try(server: ModelServer, trouble: Trouble) -> None:
    server.words = (*json.dumps(ANSWER), "")
    server.trouble, server.times = trouble, 1
    answer, waited = await put(server)
    assert (names(answer), waited) == (["Ledger", "Quill"], [1.0])


@pytest.mark.parametrize("trouble", ["silent", "pinging", "stalled"])
async def test_a_model_that_keeps_silent(server: ModelServer, trouble: Trouble) -> None:
    server.words = (*json.dumps(ANSWER), "")
    await put(server)  # the first request takes longer
    server.requests.clear()
    server.trouble = trouble
    answer, waited = await put(server, timeout_seconds=1.0)
    assert answer.error is not None
    assert answer.error.code == "model_timeout"
    assert "of extract" in answer.error.fix
    assert waited == [1.0, 2.0, 4.0]
    server.wait_for(4)
    assert len(server.requests) == 4


@pytest.mark.parametrize(("trouble", "code"), [("refused_key", "model_refused_key"), ("unknown_model", "model_failed")])
async def test_what_fails_for_all_is_asked_once(server: ModelServer, trouble: Trouble, code: str) -> None:
    server.trouble = trouble
    answer, _ = await put(server)
    assert answer.error is not None
    assert (answer.error.code, answer.hopeless, len(server.requests)) == (code, True, 1)


async def test_words_instead_of_json(server: ModelServer) -> None:
    server.words = ("I would rather talk about the weather.",)
    answer, _ = await put(server)
    assert answer.error is not None
    assert (answer.error.code, len(server.requests)) == ("model_malformed", 4)


async def test_a_server_that_is_not_there() -> None:
    answer, _ = await put(ModelServer(base_url="http://127.0.0.1:9/v1"))
    assert answer.error is not None
    assert answer.error.code == "model_unreachable"


def gleaned(answers: list[dict[str, Any]]) -> Any:
    return lambda _: json.dumps(answers.pop(0))


async def test_gleaning_adds_what_is_new(server: ModelServer) -> None:
    server.tokens = (10, 5)
    again = {"entities": [{"name": "ledger service"}, {"name": "Ink"}]}
    server.answer = gleaned([ANSWER, again, {"entities": [{"name": "Paper"}]}])
    answer, _ = await put(server, gleaning=2)
    assert names(answer) == ["Ledger", "Quill", "Ink", "Paper"]
    assert (answer.use.calls, answer.use.input_tokens) == (3, 30)
    roles = [each["role"] for each in server.requests[2]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert server.requests[2]["messages"][-1]["content"] == MORE


async def test_gleaning_ends_when_nothing_new_comes(server: ModelServer) -> None:
    server.answer = gleaned([ANSWER, ANSWER])
    answer, _ = await put(server, gleaning=3)
    assert (names(answer), len(server.requests)) == (["Ledger", "Quill"], 2)


async def test_a_pass_that_fails_does_not_cost_those_before(server: ModelServer) -> None:
    def answer_once(asked: dict[str, Any]) -> str:
        return json.dumps(ANSWER) if len(asked["messages"]) == 2 else "no"

    server.answer = answer_once
    answer, _ = await put(server, gleaning=1)
    assert (names(answer), answer.error) == (["Ledger", "Quill"], None)


@pytest.mark.parametrize(
    ("provider", "model", "code"),
    [("openai", None, "model_missing"), ("openai", "m", "model_key_missing"), ("nobody", "m", "unknown_provider")],
)
def test_settings_that_cannot_work(provider: str, model: str | None, code: str) -> None:
    with pytest.raises(InputError) as caught:
        reach(provider, model)
    assert caught.value.code == code

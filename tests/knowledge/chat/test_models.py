"""Real requests of the real OpenAI provider to a server that fails in every way we know."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import aclosing

import pytest

from knowgate.errors import InputError, KnowgateError, LimitError, NetworkError
from knowgate.knowledge.chat.models import ChatModel, create_model
from knowgate.model import Message
from model_server import ModelServer, Trouble

pytestmark = pytest.mark.anyio
KEY = "sk-very-secret"
ASKED = [Message("user", "How do refunds work?", 0.0)]


def model_of(server: ModelServer, timeout_seconds: float = 30.0) -> ChatModel:
    return create_model("openai", "small", base_url=server.base_url, api_key=KEY, timeout_seconds=timeout_seconds)


async def collect(model: ChatModel) -> list[str]:
    return [piece async for piece in model.stream("Be brief.", ASKED)]


async def fail(model: ChatModel) -> tuple[KnowgateError, list[str]]:
    pieces: list[str] = []
    with pytest.raises(KnowgateError) as caught:
        async for piece in model.stream("Be brief.", ASKED):
            pieces.append(piece)
    assert KEY not in str(caught.value)
    assert caught.value.fix
    return caught.value, pieces


async def test_streams_what_the_model_says(server: ModelServer) -> None:
    assert "".join(await collect(model_of(server))) == "Money goes back within five days [1]."
    sent = server.requests[0]
    assert sent["model"] == "small"
    assert sent["stream"] is True
    assert [(turn["role"], turn["content"]) for turn in sent["messages"]] == [
        ("system", "Be brief."),
        ("user", "How do refunds work?"),
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_says_what_was_said_before(server: ModelServer) -> None:
    turns = [Message("user", "Hello", 0.0), Message("assistant", "Hi", 0.0), *ASKED]
    [_ async for _ in model_of(server).stream("Be brief.", turns)]
    roles = [(turn["role"], turn["content"]) for turn in server.requests[0]["messages"]]
    assert roles == [("system", "Be brief."), ("user", "Hello"), ("assistant", "Hi"), ("user", ASKED[0].content)]


async def test_pieces_arrive_before_the_end(server: ModelServer) -> None:
    server.hold = threading.Event()
    async with aclosing(model_of(server).stream("Be brief.", ASKED)) as pieces:
        assert await anext(pieces) == "Money goes back "
        server.hold.set()
        assert [piece async for piece in pieces] == ["within five days [1]."]


async def test_a_models_thoughts_are_not_its_answer(server: ModelServer) -> None:
    server.words = ("<think>", "Hm, refunds.", "</think>", "Five days.")
    assert "".join(await collect(model_of(server))).strip() == "Five days."


async def test_can_be_left_in_the_middle(server: ModelServer) -> None:
    async with aclosing(model_of(server).stream("Be brief.", ASKED)) as pieces:
        await anext(pieces)


@pytest.mark.parametrize(
    ("trouble", "code", "requests"),
    [
        ("rate_limited", "model_rate_limited", 1),
        ("broken", "model_failed", 2),
        ("refused_key", "model_refused_key", 1),
        ("unknown_model", "model_failed", 1),
        ("malformed", "model_malformed", 1),
        ("senseless", "model_malformed", 1),
        ("empty", "model_malformed", 1),
    ],
)
async def test_a_failure_before_the_first_word(server: ModelServer, trouble: Trouble, code: str, requests: int) -> None:
    server.trouble = trouble
    error, pieces = await fail(model_of(server))
    assert (error.code, pieces, len(server.requests)) == (code, [], requests)


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        ("cut", "model_cut_off"),
        ("ended", "model_cut_off"),
        ("truncated", "model_cut_off"),
        ("error_event", "model_failed"),
    ],
)
async def test_a_failure_in_the_middle_is_not_tried_again(server: ModelServer, trouble: Trouble, code: str) -> None:
    server.trouble = trouble
    error, pieces = await fail(model_of(server))
    assert error.code == code
    assert pieces[0] == "Money goes back "
    assert len(server.requests) == 1


@pytest.mark.parametrize("trouble", ["silent", "pinging", "stalled"])
async def test_never_hangs(server: ModelServer, trouble: Trouble) -> None:
    await collect(model_of(server))  # the first request takes longer
    server.requests.clear()
    server.trouble = trouble
    error, _ = await fail(model_of(server, timeout_seconds=1.5))
    assert error.code == "model_timeout"
    assert "1.5 seconds" in str(error)
    server.wait_for(1)
    assert len(server.requests) == 1


async def test_a_stumble_is_forgiven_once(server: ModelServer) -> None:
    server.trouble, server.times = "broken", 1
    assert "".join(await collect(model_of(server))) == "Money goes back within five days [1]."
    assert len(server.requests) == 2


async def test_nobody_there(server: ModelServer) -> None:
    model = create_model("openai", "small", base_url="http://127.0.0.1:9/v1", api_key=KEY)
    error, _ = await fail(model)
    assert error.code == "model_unreachable"
    assert isinstance(error, NetworkError)


async def test_says_how_long_to_wait_and_what_the_server_said(server: ModelServer) -> None:
    server.trouble = "rate_limited"
    error, _ = await fail(model_of(server))
    assert isinstance(error, LimitError)
    assert "Slow down" in error.message
    assert "7 seconds" in error.fix


async def test_a_refused_key_is_the_servers_not_the_callers(server: ModelServer) -> None:
    server.trouble = "refused_key"
    error, _ = await fail(model_of(server))
    assert isinstance(error, NetworkError)
    assert "***" in error.message


async def test_ollama_needs_no_key(server: ModelServer) -> None:
    assert await collect(create_model("ollama", "small", base_url=server.base_url))
    assert KEY not in str(server.headers)


async def test_works_from_one_event_loop_after_another(server: ModelServer) -> None:
    import asyncio

    model = model_of(server)
    answers: list[list[str]] = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: answers.append(asyncio.run(collect(model))))
        thread.start()
        thread.join()
    assert answers[0] == answers[1] != []


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"provider": "watson", "model": "x"}, "unknown_provider"),
        ({"provider": "openai", "model": None}, "model_missing"),
        ({"provider": "openai", "model": "gpt"}, "model_key_missing"),
        ({"provider": "openai", "model": "gpt", "api_key": "sk\nsk"}, "model_malformed_key"),
    ],
)
def test_wrong_settings_are_told_at_once(given: dict[str, str], code: str) -> None:
    with pytest.raises(InputError) as caught:
        create_model(**given)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("provider", "package"), [("anthropic", "anthropic"), ("gemini", "google.genai"), ("bedrock", "boto3")]
)
def test_a_missing_package_is_named_with_the_command(
    provider: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf'pip install "knowgate\[{provider}\]"') as caught:
        create_model(provider, "a-model", api_key=KEY)
    assert caught.value.code == "missing_extra"


def test_nothing_heavy_is_loaded_before_the_first_question() -> None:
    code = (
        "import sys; from knowgate.knowledge.chat.models import create_model;"
        "create_model('ollama', 'small'); print('pydantic_ai' in sys.modules, 'httpx2' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False"]

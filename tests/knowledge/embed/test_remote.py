"""Remote embedders over a real loopback server: each wire, and what every server does wrong some day."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from knowgate.errors import InputError, KnowgateError, LimitError, NetworkError
from knowgate.knowledge.embed import Embedder, EmbedderIdentity, create_embedder
from knowgate.knowledge.embed.ollama import OllamaWire, fixes
from knowgate.knowledge.embed.remote import RemoteEmbedder, RemoteModel
from knowgate.knowledge.embed.transport import JsonTransport
from knowgate.knowledge.embed.wire import Connection

if TYPE_CHECKING:
    from conftest import Handler, ModelServer

WIRES = ["openai", "ollama", "gemini"]
KEY = "sk-very-secret-key"


def embedder(server: ModelServer, provider: str = "openai", **options: Any) -> Embedder:
    options = {"model": "custom-embedder", "api_key": KEY, **options}
    return create_embedder(provider, base_url=server.url, **options)


def patient(server: ModelServer, waits: list[float]) -> RemoteEmbedder:
    """Notes how long it would have waited."""
    transport = JsonTransport(Connection(server.url, KEY), "", fixes("custom"), sleep=waits.append)
    return RemoteEmbedder(OllamaWire(transport, "custom"), RemoteModel("ollama", "custom", dimension=8), 64)


def always(server: ModelServer, trouble: Callable[[Handler], None]) -> None:
    server.troubles.extend([trouble] * 10)


# --- the wires ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", WIRES)
def test_vectors_come_in_the_order_of_the_texts_at_unit_length(server: ModelServer, provider: str) -> None:
    texts = [f"text {number}" for number in range(10)]
    remote = embedder(server, provider, batch_size=4)
    vectors = remote.embed_passages(texts)
    assert vectors.shape == (10, 8)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.allclose(vector, remote.embed_query(text), atol=1e-6)
    assert len({vector.tobytes() for vector in vectors}) > 1
    remote.close()


@pytest.mark.parametrize("provider", WIRES)
def test_identity_asks_the_server_once_for_an_unknown_dimension(server: ModelServer, provider: str) -> None:
    remote = embedder(server, provider, query_prefix="q: ")
    assert remote.identity == EmbedderIdentity(provider, "custom-embedder", 8, "q: ", "")
    assert remote.identity.dimension == remote.embed_passages([]).shape[1]
    assert len(server.requests) == 1
    remote.close()


def test_openai_sends_the_key_as_bearer_and_asks_known_models_for_short_vectors(server: ModelServer) -> None:
    remote = embedder(server, model="text-embedding-3-small", dimension=8)
    remote.embed_query("hello")
    (request,) = server.requests
    assert request.path == "/embeddings"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "text-embedding-3-small", "dimensions": 8, "input": ["hello"]}
    remote.close()


def test_gemini_names_the_task_and_hides_the_key_in_a_header(server: ModelServer) -> None:
    remote = embedder(server, "gemini", model="gemini-embedding-001", dimension=8)
    remote.embed_query("hello")
    remote.embed_passages(["world"])
    query, passage = server.requests
    assert query.path == "/models/gemini-embedding-001:batchEmbedContents"
    assert query.headers["x-goog-api-key"] == KEY
    assert query.body["requests"][0]["taskType"] == "RETRIEVAL_QUERY"
    assert passage.body["requests"][0]["taskType"] == "RETRIEVAL_DOCUMENT"
    assert passage.body["requests"][0]["outputDimensionality"] == 8
    remote.close()


def test_prefixes_belong_to_the_model_and_can_be_overridden(server: ModelServer) -> None:
    known = embedder(server, model="intfloat/multilingual-e5-small", dimension=8)
    known.embed_query("a")
    known.embed_passages(["b"])
    own = embedder(server, model="intfloat/multilingual-e5-small", dimension=8, query_prefix="", passage_prefix="doc ")
    own.embed_query("a")
    own.embed_passages(["b"])
    assert server.texts() == ["query: a", "passage: b", "a", "doc b"]
    known.close()
    own.close()


def test_text_beyond_a_known_limit_is_cut(server: ModelServer) -> None:
    remote = embedder(server, model="mxbai-embed-large", dimension=8)
    remote.embed_passages(["word " * 5000])
    (sent,) = server.texts()
    assert remote.count(sent) == remote.max_tokens < 512
    remote.close()


def test_remote_models_are_taken_to_know_every_word(server: ModelServer) -> None:
    assert embedder(server).fluency("世界") == 1.0


# --- troubles that pass -------------------------------------------------------------------------------------------


def test_a_busy_server_is_asked_again_after_the_time_it_names(server: ModelServer) -> None:
    def soon() -> str:
        return formatdate(time.time() + 30, usegmt=True)

    server.troubles = [
        lambda it: it.send_json(429, {"error": "slow down"}, Retry_After="7"),
        lambda it: it.send_json(503, {"error": "overloaded"}, Retry_After=soon()),
        lambda it: it.send_json(500, {"error": "oops"}),
        lambda it: it.send_bytes(502, b"<html>bad gateway</html>"),
    ]
    waits: list[float] = []
    remote = patient(server, waits)
    assert remote.embed_passages(["a"]).shape == (1, 8)
    assert waits[0] == 7
    assert 20 < waits[1] <= 30
    assert 1 <= waits[2] <= 2
    assert 2 <= waits[3] <= 4
    remote.close()


def test_a_cut_answer_is_asked_for_again(server: ModelServer) -> None:
    def cut(it: Handler) -> None:
        it.send_bytes(200, b'{"embeddings": [[1', Content_Length="1000")
        it.close_connection = True

    server.troubles = [cut]
    waits: list[float] = []
    remote = patient(server, waits)
    assert remote.embed_query("a").shape == (8,)
    assert len(waits) == 1
    remote.close()


def test_a_query_gives_up_sooner_than_a_batch(server: ModelServer) -> None:
    always(server, lambda it: it.send_json(500, {"error": "out of memory"}))
    remote = patient(server, [])
    with pytest.raises(NetworkError, match="answered 500: out of memory"):
        remote.embed_query("a")
    assert len(server.requests) == 2
    with pytest.raises(NetworkError):
        remote.embed_passages(["a"])
    assert len(server.requests) == 7
    remote.close()


def test_nobody_waits_an_hour(server: ModelServer) -> None:
    always(server, lambda it: it.send_json(429, {"error": "quota"}, Retry_After="3600"))
    remote = patient(server, [])
    with pytest.raises(LimitError, match="Wait 3600 seconds") as caught:
        remote.embed_passages(["a"])
    assert caught.value.code == "embedder_rate_limited"
    assert len(server.requests) == 1
    remote.close()


def test_a_slow_first_byte_ends_in_a_timeout(server: ModelServer) -> None:
    def silent(it: Handler) -> None:
        it.release.wait()

    always(server, silent)
    remote = embedder(server, timeout_seconds=0.2)
    with pytest.raises(NetworkError, match=r"did not answer within 0\.2 seconds") as caught:
        remote.embed_query("a")
    assert caught.value.code == "embedder_timeout"
    server.wait_for(2)
    assert len(server.requests) == 2
    remote.close()


# --- troubles that stay -------------------------------------------------------------------------------------------

OPENAI_ITEM = {"index": 0, "embedding": [1.0] * 8}
BAD_ANSWERS: dict[str, bytes] = {
    "no json": b"<html>hello</html>",
    "another form": b'{"ok": true}',
    "a list": b"[]",
    "too few": b'{"data": []}',
    "nan": b'{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1, 1, 1, 1, 1]}]}',
    "null": b'{"data": [{"index": 0, "embedding": [null, 1, 1, 1, 1, 1, 1, 1]}]}',
    "infinite": b'{"data": [{"index": 0, "embedding": [1e999, 1, 1, 1, 1, 1, 1, 1]}]}',
    "huge": b'{"data": [{"index": 0, "embedding": [1e300, 1, 1, 1, 1, 1, 1, 1]}]}',
    "words": b'{"data": [{"index": 0, "embedding": ["a", 1, 1, 1, 1, 1, 1, 1]}]}',
    "zero": b'{"data": [{"index": 0, "embedding": [0, 0, 0, 0, 0, 0, 0, 0]}]}',
    "wrong index": b'{"data": [{"index": 5, "embedding": [1, 1, 1, 1, 1, 1, 1, 1]}]}',
    "nested": b'{"data": [{"index": 0, "embedding": [[1, 1, 1, 1, 1, 1, 1, 1]]}]}',
    "empty": b'{"data": [{"index": 0, "embedding": []}]}',
    "base64": b'{"data": [{"index": 0, "embedding": "AACAPw=="}]}',
}


@pytest.mark.parametrize("data", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_an_answer_that_is_no_vector_is_refused(server: ModelServer, data: bytes) -> None:
    always(server, lambda it: it.send_bytes(200, data))
    remote = embedder(server, dimension=8)
    with pytest.raises(NetworkError) as caught:
        remote.embed_query("a")
    assert caught.value.code == "embedder_bad_answer"
    assert len(server.requests) == 1
    remote.close()


def test_one_bad_vector_spoils_its_batch(server: ModelServer) -> None:
    ragged = {"data": [OPENAI_ITEM, {"index": 1, "embedding": [1.0] * 7}]}
    always(server, lambda it: it.send_json(200, ragged))
    remote = embedder(server, dimension=8)
    with pytest.raises(NetworkError):
        remote.embed_passages(["a", "b"])
    remote.close()


def test_another_dimension_than_configured_says_which(server: ModelServer) -> None:
    remote = embedder(server, dimension=16)
    with pytest.raises(InputError, match=r"vectors of 8 numbers, not 16\..*`dimension` to 8") as caught:
        remote.embed_passages(["a"])
    assert caught.value.code == "embedder_dimension"
    remote.close()


@pytest.mark.parametrize(
    ("status", "said", "family", "code"),
    [
        (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}, NetworkError, "embedder_refused_key"),
        (403, {"message": "forbidden"}, NetworkError, "embedder_refused_key"),
        (400, {"error": {"message": "API key not valid. Pass a valid API key."}}, NetworkError, "embedder_refused_key"),
        (404, {"error": {"message": "model does not exist"}}, InputError, "embedder_model_unknown"),
        (400, {"error": {"message": "maximum context length is 8192 tokens"}}, LimitError, "embedder_input_too_long"),
        (413, {"error": "payload"}, LimitError, "embedder_input_too_long"),
        (422, {"detail": [{"loc": ["body"]}]}, InputError, "embedder_refused"),
        (302, {}, InputError, "embedder_refused"),
    ],
)
@pytest.mark.parametrize("provider", WIRES)
def test_a_refusal_is_typed_final_and_without_the_key(
    server: ModelServer, provider: str, status: int, said: Any, family: type[KnowgateError], code: str
) -> None:
    always(server, lambda it: it.send_json(status, said))
    remote = embedder(server, provider)
    with pytest.raises(family) as caught:
        remote.embed_query("a")
    assert caught.value.code == code
    assert caught.value.fix
    assert KEY not in str(caught.value) + repr(caught.value)
    assert len(server.requests) == 1
    remote.close()


def test_an_absent_ollama_is_told_to_start() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # held, so that nobody else comes to listen there
        remote = create_embedder("ollama", base_url=f"http://user:hidden@127.0.0.1:{free.getsockname()[1]}")
        with pytest.raises(NetworkError, match="Is Ollama running\\? Start it with `ollama serve`") as caught:
            remote.embed_query("a")
    assert caught.value.code == "embedder_unreachable"
    assert "hidden" not in str(caught.value)
    remote.close()


def test_a_missing_ollama_model_is_told_to_be_pulled(server: ModelServer) -> None:
    said = {"error": 'model "nomic-embed-text" not found, try pulling it first'}
    always(server, lambda it: it.send_json(404, said))
    remote = create_embedder("ollama", base_url=server.url)
    with pytest.raises(InputError, match="Pull the model with `ollama pull nomic-embed-text`"):
        remote.embed_query("a")
    remote.close()

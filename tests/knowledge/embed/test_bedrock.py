"""Bedrock through the real boto3 against a loopback server; needs the extra `bedrock`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from knowgate.errors import InputError, KnowgateError, LimitError, NetworkError
from knowgate.knowledge.embed import Embedder, create_embedder

if TYPE_CHECKING:
    from conftest import ModelServer

pytest.importorskip("boto3", reason="needs the extra `bedrock`")
TITAN = "amazon.titan-embed-text-v2:0"
MODELS = [TITAN, "cohere.embed-multilingual-v3", "cohere.embed-v4:0"]


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)


def embedder(server: ModelServer, model: str) -> Embedder:
    return create_embedder("bedrock", model, dimension=8, base_url=server.url, region="us-east-1")


@pytest.mark.parametrize("model", MODELS)
def test_vectors_come_in_order_at_unit_length(server: ModelServer, model: str) -> None:
    remote = embedder(server, model)
    vectors = remote.embed_passages(["a", "b", "c"])
    assert vectors.shape == (3, 8)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[1], remote.embed_query("b"), atol=1e-6)
    remote.close()


def test_each_model_is_asked_in_its_own_way(server: ModelServer) -> None:
    titan, cohere = embedder(server, TITAN), embedder(server, "cohere.embed-multilingual-v3")
    titan.embed_query("a")
    cohere.embed_query("a")
    cohere.embed_passages(["b"])
    bodies = [request.body for request in server.requests]
    assert bodies[0] == {"inputText": "a", "dimensions": 8}
    assert [body["input_type"] for body in bodies[1:]] == ["search_query", "search_document"]
    titan.close()
    cohere.close()


@pytest.mark.parametrize(
    ("status", "code", "family"),
    [
        (403, "AccessDeniedException", NetworkError),
        (429, "ThrottlingException", LimitError),
        (400, "ValidationException", InputError),
        (500, "InternalServerException", NetworkError),
    ],
)
def test_refusals_are_typed(server: ModelServer, status: int, code: str, family: type[KnowgateError]) -> None:
    server.troubles.extend([lambda it: it.send_json(status, {"message": "no"}, X_Amzn_ErrorType=code)] * 9)
    remote = embedder(server, TITAN)
    with pytest.raises(family, match=code):
        remote.embed_query("a")
    remote.close()


def test_a_missing_region_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "nowhere")
    monkeypatch.delenv("AWS_REGION", raising=False)
    with pytest.raises(InputError, match="us-east-1"):
        create_embedder("bedrock").embed_query("a")


def test_missing_credentials_are_told(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "nowhere")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(InputError, match="aws configure"):
        embedder(server, TITAN).embed_query("a")

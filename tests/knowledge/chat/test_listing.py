from __future__ import annotations

import pytest

from knowgate.errors import InputError, KnowgateError
from knowgate.knowledge.chat.listing import list_models
from model_server import ModelServer


def test_lists_what_the_server_offers(server: ModelServer) -> None:
    assert list_models("openai", server.base_url, "sk-secret") == ["large", "small"]
    assert server.headers[0]["authorization"] == "Bearer sk-secret"


def test_a_local_server_gets_no_key(server: ModelServer) -> None:
    assert list_models("ollama", server.base_url) == ["large", "small"]
    assert "authorization" not in server.headers[0]


def test_anthropic_has_headers_of_its_own(server: ModelServer) -> None:
    assert list_models("anthropic", server.base_url.removesuffix("/v1"), "sk-secret") == ["large", "small"]
    assert server.headers[0]["x-api-key"] == "sk-secret"


def test_a_refused_key_and_a_senseless_answer(server: ModelServer) -> None:
    server.trouble = "refused_key"
    with pytest.raises(KnowgateError) as caught:
        list_models("openai", server.base_url, "sk-secret")
    assert caught.value.code == "model_refused_key"
    server.trouble = "malformed"
    with pytest.raises(KnowgateError) as caught:
        list_models("openai", server.base_url, "sk-secret")
    assert caught.value.code == "model_malformed"


def test_nobody_there() -> None:
    with pytest.raises(KnowgateError) as caught:
        list_models("ollama", "http://127.0.0.1:9/v1")
    assert caught.value.code == "model_unreachable"


def test_bedrock_has_no_list() -> None:
    with pytest.raises(InputError) as caught:
        list_models("bedrock")
    assert caught.value.code == "models_not_listed"

"""Choosing an embedder by configuration."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from knowgate.errors import InputError
from knowgate.knowledge.embed import EmbedderIdentity, create_embedder


def test_the_default_is_built_in() -> None:
    assert create_embedder().identity == EmbedderIdentity("minilm", "all-MiniLM-L6-v2", 384, "", "", normalised=True)


@pytest.mark.parametrize(
    ("provider", "model", "dimension", "query_prefix"),
    [
        ("openai", None, 1536, ""),
        ("openai", "text-embedding-3-large", 3072, ""),
        ("openai", "BAAI/bge-small-en-v1.5", 384, "Represent this sentence for searching relevant passages: "),
        ("ollama", None, 768, "search_query: "),
        ("ollama", "mxbai-embed-large:latest", 1024, "Represent this sentence for searching relevant passages: "),
        ("ollama", "snowflake-arctic-embed:22m", 384, "Represent this sentence for searching relevant passages: "),
        ("ollama", "snowflake-arctic-embed2", 1024, "query: "),
        ("gemini", None, 3072, ""),
    ],
)
def test_known_models_need_no_description(provider: str, model: str | None, dimension: int, query_prefix: str) -> None:
    identity = create_embedder(provider, model, api_key="key").identity
    assert (identity.provider, identity.dimension, identity.query_prefix) == (provider, dimension, query_prefix)


def test_an_unknown_provider_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match="Did you mean ollama"):
        create_embedder("olama")
    with pytest.raises(InputError, match="Choose one of minilm, openai"):
        create_embedder("xyz")


def test_the_built_in_model_cannot_be_another() -> None:
    with pytest.raises(InputError, match="all-MiniLM-L6-v2 with 384"):
        create_embedder("minilm", "bge-large")
    with pytest.raises(InputError):
        create_embedder("minilm", dimension=768)


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_paid_provider_needs_a_key(provider: str) -> None:
    with pytest.raises(InputError, match="api_key"):
        create_embedder(provider)


@pytest.mark.parametrize("key", ["sk-ä", "sk-1\n2"])
def test_a_malformed_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(InputError) as caught:
        create_embedder("openai", api_key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:1234", "ftp://host/v1", "http://", "not a url"])
def test_a_bad_address_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="not a web address"):
        create_embedder("openai", base_url=url)


@pytest.mark.skipif(find_spec("boto3") is not None, reason="boto3 is installed")
def test_bedrock_without_its_extra_says_how_to_install_it() -> None:
    with pytest.raises(InputError, match=r'pip install "knowgate\[bedrock\]"'):
        create_embedder("bedrock")


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    code = (
        "import sys; from knowgate.knowledge.embed import create_embedder; create_embedder().identity;"
        "create_embedder('ollama').identity;"
        "sys.exit(str({'numpy', 'onnxruntime', 'httpx2', 'stamina'} & set(sys.modules)) if "
        "{'numpy', 'onnxruntime', 'httpx2', 'stamina'} & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

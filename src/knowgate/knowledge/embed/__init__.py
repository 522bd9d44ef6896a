"""Text to vectors: the built-in model, or a provider by configuration."""

from __future__ import annotations

from difflib import get_close_matches

from knowgate.errors import InputError
from knowgate.knowledge.embed.port import Embedder, EmbedderIdentity

__all__ = ["PROVIDERS", "Embedder", "EmbedderIdentity", "create_embedder"]

PROVIDERS = ("minilm", "openai", "ollama", "gemini", "bedrock")


def create_embedder(
    provider: str = "minilm",
    model: str | None = None,
    dimension: int | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
    batch_size: int = 64,
    timeout_seconds: float = 60.0,
    region: str | None = None,
) -> Embedder:
    """Nothing is loaded and nobody is called before the first text. A prefix of None is the model's own, if known."""
    match provider:
        case "minilm":
            return _minilm(model, dimension)
        case "openai":
            from knowgate.knowledge.embed import openai as wires
        case "ollama":
            from knowgate.knowledge.embed import ollama as wires
        case "gemini":
            from knowgate.knowledge.embed import gemini as wires
        case "bedrock":
            from knowgate.knowledge.embed import bedrock as wires
        case _:
            guess = get_close_matches(provider, PROVIDERS, 1)
            fix = f"Did you mean {guess[0]}?" if guess else f"Choose one of {', '.join(PROVIDERS)}."
            raise InputError("embedder_provider_unknown", f"There is no embedding provider {provider!r}.", fix)

    from knowgate.knowledge.embed.known import known_model
    from knowgate.knowledge.embed.remote import RemoteEmbedder, RemoteModel
    from knowgate.knowledge.embed.wire import Connection

    name = model or wires.DEFAULT_MODEL
    known = known_model(name)
    native = known.dimension if known else None
    shorten_to = dimension if known and known.shortens and dimension != native else None
    wire = wires.connect(Connection(base_url, api_key, timeout_seconds, region), name, shorten_to)
    description = RemoteModel(
        provider=provider,
        name=name,
        query_prefix=query_prefix if query_prefix is not None else known.query_prefix if known else "",
        passage_prefix=passage_prefix if passage_prefix is not None else known.passage_prefix if known else "",
        dimension=dimension or native,
        limit=known.max_tokens if known else None,
    )
    return RemoteEmbedder(wire, description, batch_size)


def _minilm(model: str | None, dimension: int | None) -> Embedder:
    from knowgate.knowledge.embed.minilm import MiniLM

    identity = MiniLM.identity
    if model not in (None, identity.model) or dimension not in (None, identity.dimension):
        message = f"The built-in embedder is {identity.model} with {identity.dimension} dimensions."
        fix = "Leave `model` and `dimension` out, or choose another provider: " + ", ".join(PROVIDERS[1:]) + "."
        raise InputError("embedder_model_unknown", message, fix)
    return MiniLM()

"""An embedder on another server: prefixes, batches, and a check of every answer. How to ask is the wire's affair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from knowgate.errors import InputError, NetworkError
from knowgate.knowledge.embed.estimate import cut_to_tokens, estimate_tokens
from knowgate.knowledge.embed.port import EmbedderIdentity
from knowgate.knowledge.embed.wire import MalformedAnswerError, Role, Wire

if TYPE_CHECKING:
    from knowgate.knowledge.embed.port import Vectors

_USUAL_TOKENS = 512


@dataclass(frozen=True, slots=True)
class RemoteModel:
    provider: str
    name: str
    query_prefix: str = ""
    passage_prefix: str = ""
    dimension: int | None = None
    """None: the first answer tells."""
    limit: int | None = None
    """Tokens the model takes; None when not known."""


class RemoteEmbedder:
    def __init__(self, wire: Wire, model: RemoteModel, batch_size: int) -> None:
        self._wire = wire
        self._model = model
        self._batch = max(1, min(batch_size, wire.max_batch))
        # Our count is an estimate, so it stays a tenth below what the model takes.
        self._cut = model.limit * 9 // 10 if model.limit else None

    @property
    def max_tokens(self) -> int:
        return self._cut or _USUAL_TOKENS

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    @cached_property
    def _identity(self) -> EmbedderIdentity:
        model = self._model
        dimension = model.dimension or self._embed(["dimension"], "query").shape[1]
        return EmbedderIdentity(model.provider, model.name, dimension, model.query_prefix, model.passage_prefix)

    def count(self, text: str) -> int:
        return estimate_tokens(text)

    def fluency(self, text: str) -> float:  # noqa: ARG002
        return 1.0

    def embed_query(self, text: str) -> Vectors:
        return self._checked([text], "query")[0]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        batches = [texts[start : start + self._batch] for start in range(0, len(texts), self._batch)]
        if not batches:
            return np.empty((0, self.identity.dimension), np.float32)
        return np.concatenate([self._checked(batch, "passage") for batch in batches])

    def close(self) -> None:
        self._wire.close()

    def _checked(self, texts: Sequence[str], role: Role) -> Vectors:
        vectors = self._embed(texts, role)
        expected, answered = self.identity.dimension, vectors.shape[1]
        if answered != expected:
            message = f"{self._model.name} answers with vectors of {answered} numbers, not {expected}."
            fix = f"Set the embedder's `dimension` to {answered}."
            raise InputError("embedder_dimension", message, fix)
        return vectors

    def _embed(self, texts: Sequence[str], role: Role) -> Vectors:
        import numpy as np

        prefix = self._model.query_prefix if role == "query" else self._model.passage_prefix
        inputs = [prefix + text for text in texts]
        if self._cut:
            inputs = [cut_to_tokens(text, self._cut) for text in inputs]
        try:
            # The numbers may be anything until they are checked, so they are not yet squeezed into 32 bits.
            vectors = np.asarray(self._wire.embed(inputs, role), np.float64)
        except (MalformedAnswerError, ValueError, TypeError, OverflowError):
            raise self._bad_answer("an answer of another form") from None
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._bad_answer(f"{len(vectors)} vectors for {len(texts)} texts")
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._bad_answer("numbers that are no direction (NaN, infinite or all zero)")
        return (vectors / lengths).astype(np.float32)

    def _bad_answer(self, what: str) -> NetworkError:
        message = f"The embedding server sent {what} for {self._model.name}."
        return NetworkError("embedder_bad_answer", message, "Check that the model is an embedding model.")

"""What an embedder must do, and what the index remembers of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from knowgate.model import EmbedderIdentity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    @property
    def identity(self) -> EmbedderIdentity:
        """May ask the server once when the model's dimension is not known."""
        ...

    @property
    def max_tokens(self) -> int:
        """What is longer, measured by `count`, loses its end when it is embedded."""
        ...

    def count(self, text: str) -> int:
        """How many tokens the text is to this embedder, prefixes and special tokens not counted."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """One vector of unit length."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length per text."""
        ...

    def fluency(self, text: str) -> float:
        """0 to 1: how much of the text the model knows as whole words; what it must spell out, it does not know."""
        ...

    def close(self) -> None: ...

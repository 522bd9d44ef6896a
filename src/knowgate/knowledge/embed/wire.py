"""What the remote embedder asks of a provider's wire format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Role = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class Connection:
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 60.0
    region: str | None = None


class Wire(Protocol):
    """One provider's way to ask for vectors. Answers are unchecked: a list of numbers per text, if all is well."""

    @property
    def max_batch(self) -> int: ...

    def embed(self, texts: Sequence[str], role: Role) -> list[object]: ...

    def close(self) -> None: ...


class MalformedAnswerError(Exception):
    """The answer does not have the wire's form."""


def attempts(role: Role) -> int:
    """Someone waits for a query; a batch of passages can wait for the server."""
    return 2 if role == "query" else 5


def listed(answer: object, *path: str) -> list[object]:
    """The list found in nested objects under these names."""
    for name in path:
        if not isinstance(answer, dict) or name not in answer:
            raise MalformedAnswerError(name)
        answer = answer[name]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(answer, list):
        raise MalformedAnswerError("".join(path[-1:]))
    return answer  # pyright: ignore[reportUnknownVariableType]

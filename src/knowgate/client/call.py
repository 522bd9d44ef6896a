"""A call as a value: what to ask, and what the answer is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    content: Path | BinaryIO | bytes


@dataclass(frozen=True, slots=True)
class Call(Generic[T_co]):
    method: str
    path: str
    """Below /api/v1."""
    answer: type[T_co]
    params: Mapping[str, str | int] = field(default_factory=dict[str, "str | int"])
    body: Mapping[str, object] | None = None
    uploads: tuple[Upload, ...] = ()
    safe: bool = False
    """Asking twice does no harm."""
    held: int = 0
    """Seconds for which the server is asked to hold its answer back."""
    refusal: int | None = None
    """A status that refuses but carries the answer all the same."""

"""Long work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

TaskKind = Literal["ingest", "reembed"]
TaskStage = Literal["listing", "reading", "embedding", "extracting", "done"]
TaskStatus = Literal["pending", "running", "completed", "failed", "cancelled"]
FileStatus = Literal["pending", "completed", "skipped", "ignored", "failed", "cancelled"]
"""Skipped has not changed since it was indexed; ignored lay in a folder and is no document, such as a picture."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked for, and what that cost."""

    calls: int = 0
    cached: int = 0
    """Passages that it had read before."""
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = 0.0
    """None when the price of one of the calls is not known."""

    def __add__(self, other: ModelUse) -> ModelUse:
        known = self.dollars is not None and other.dollars is not None
        return ModelUse(
            self.calls + other.calls,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.dollars or 0.0) + (other.dollars or 0.0) if known else None,
        )

    def __str__(self) -> str:
        tokens = f"{self.calls} calls, {self.input_tokens:,} tokens in, {self.output_tokens:,} out"
        return f"{tokens}, ${self.dollars:.2f}" if self.dollars else tokens


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of long work, kept on disk: it survives the process that runs it."""

    id: str
    kind: TaskKind
    status: TaskStatus
    stage: TaskStage
    sources: tuple[str, ...]
    """What was asked for: paths, addresses or `text:NAME`."""
    created_at: float
    updated_at: float
    total: int = 0
    completed: int = 0
    skipped: int = 0
    ignored: int = 0
    failed: int = 0
    removed: int = 0
    """Documents whose file is gone."""
    error: Mapping[str, str] | None = None
    """Why it did not do all it should: code, error (one sentence) and fix."""
    owner: str = "local"
    """Who asked for it: a principal's id."""
    model_use: ModelUse | None = None
    """When a model extracts entities: what it was asked for so far."""
    passages: int = 0
    """Of its documents; 0 until vectors are made for some of them."""
    embedded: int = 0
    """How many of these have their vectors."""

    @property
    def finished(self) -> bool:
        return self.status in ("completed", "failed", "cancelled")

    @property
    def processed(self) -> int:
        """Files of which it is known what became of them."""
        return self.completed + self.skipped + self.ignored + self.failed


@dataclass(frozen=True, slots=True)
class TaskFile:
    """What became of one file of a task."""

    source: str
    name: str
    status: FileStatus
    chunks: int = 0
    error: Mapping[str, str] | None = None
    """code, error (one sentence) and fix."""
    warnings: tuple[str, ...] = ()

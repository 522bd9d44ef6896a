"""What the tools need of the house, in process or on a server: a tool does not know which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict

if TYPE_CHECKING:
    from knowgate import model, wire
    from knowgate.model import SearchMode


PathKind = Literal["file", "folder", "missing"]


class SearchOptions(TypedDict, total=False):
    mode: SearchMode
    limit: int | None
    score_threshold: float
    filter_id: str | None
    data_sources: Sequence[str] | None
    document_types: Sequence[str] | None
    cursor: str


class OperationOptions(TypedDict, total=False):
    api: str
    tag: str
    method: str
    limit: int
    cursor: str


class RunOptions(TypedDict, total=False):
    parameters: Mapping[str, Any] | None
    body: Any
    fields: Sequence[str]
    dry_run: bool
    max_pages: int


@dataclass(frozen=True, slots=True)
class Handed:
    """What is to be ingested: a path of this machine, an address, or a text with its name."""

    path: str = ""
    url: str = ""
    text: str | None = None
    filename: str = ""


@dataclass(frozen=True, slots=True)
class Started:
    task_id: str
    new: bool = True
    """False when the same was asked for before and is still being worked on."""


class Backend(Protocol):
    async def search(self, query: str, options: SearchOptions) -> wire.SearchAnswer: ...

    async def chat(
        self, message: str, *, chat_id: str | None, filter_id: str | None, limit: int | None, score_threshold: float
    ) -> wire.ChatReply: ...

    async def path_kind(self, path: str) -> PathKind:
        """What lies there, for a caller who may know."""
        ...

    async def ingest(self, handed: Handed) -> Started: ...

    async def task(self, task_id: str, wait_seconds: float = 0) -> wire.TaskAnswer:
        """The task when it is finished, or as it is after some seconds."""
        ...

    async def cancel(self, task_id: str) -> None: ...

    async def documents(self, query: str, limit: int, cursor: str = "") -> wire.DocumentsAnswer: ...

    async def document(self, name: str, limit: int, cursor: str = "") -> wire.DocumentAnswer: ...

    async def delete(self, name: str) -> wire.DeleteAnswer:
        """All documents that are called so; `success` is False when there is none."""
        ...

    async def stats(self) -> wire.StatsAnswer: ...

    async def index(self, force: bool) -> Started:
        """Bring the configured folders up to date."""
        ...

    async def entities(self, query: str, type: str, limit: int, cursor: str = "") -> model.EntityPage: ...

    async def search_entities(self, query: str, type: str, limit: int) -> wire.EntitySearchAnswer: ...

    async def relations(self, entity: str, direction: model.Direction, limit: int) -> model.Relations: ...

    async def trace(self, entity: str, direction: model.Stream, depth: int) -> model.Trace: ...

    async def path(self, start: str, end: str, max_depth: int, any_direction: bool) -> model.Path: ...

    async def graph_stats(self) -> model.GraphStats: ...

    async def schema(self) -> model.Schema: ...

    async def operations(self, query: str, options: OperationOptions) -> model.OperationPage: ...

    async def describe_operation(self, operation_id: str) -> model.OperationDetail: ...

    async def describe_operations(self, ids: Sequence[str]) -> Sequence[model.OperationDetail]: ...

    async def run_operation(self, operation_id: str, options: RunOptions) -> model.OperationAnswer: ...

    async def more_of(self, cursor: str) -> model.OperationAnswer:
        """What had no room in an answer of an API."""
        ...

    async def settings(self) -> wire.SettingsAnswer: ...

    async def change_settings(self, changes: Mapping[str, str | int | bool]) -> wire.SettingsChanged: ...

    async def models(self, provider: str) -> wire.ModelsAnswer: ...

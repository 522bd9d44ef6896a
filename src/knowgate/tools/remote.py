"""The backend on a server: the SDK. Paths are of this machine, and what lies there is uploaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from anyio import to_thread

from knowgate import model, wire
from knowgate.tools.backend import Handed, OperationOptions, PathKind, RunOptions, SearchOptions, Started
from knowgate.tools.paths import path_kind
from knowgate.tools.submissions import Submissions, key_of
from knowgate.tools.uploads import Uploads, uploading

if TYPE_CHECKING:
    from knowgate.client import AsyncClient
    from knowgate.client.routes import SettingsChange

_UPLOAD_SECONDS = 10.0
"""How long an answer waits for an upload to end, so that it can name the task."""


class Remote:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._submissions = Submissions()
        self._uploads = Uploads()

    async def search(self, query: str, options: SearchOptions) -> wire.SearchAnswer:
        return await self._client.search.query(query, **options)

    async def chat(
        self, message: str, *, chat_id: str | None, filter_id: str | None, limit: int | None, score_threshold: float
    ) -> wire.ChatReply:
        # As a stream: a model that thinks for long does not look like a server that is gone.
        stream = self._client.chat.stream(
            message, chat_id=chat_id, filter_id=filter_id, limit=limit, score_threshold=score_threshold
        )
        async with stream:
            return await stream.final()

    async def path_kind(self, path: str) -> PathKind:
        return await to_thread.run_sync(partial(path_kind, path))

    async def ingest(self, handed: Handed) -> Started:
        documents = self._client.documents

        async def submit() -> str:
            if handed.text is not None:
                answer = await documents.ingest(text=handed.text, filename=handed.filename, wait=False)
            elif handed.url:
                answer = await documents.ingest(url=handed.url, wait=False)
            else:
                answer = await documents.ingest(Path(handed.path).expanduser(), wait=False)
            return answer.task_id

        key = await to_thread.run_sync(partial(key_of, handed))
        return await self._submissions.once(key, lambda: self._uploads.begin(submit(), _UPLOAD_SECONDS), self.task)

    async def task(self, task_id: str, wait_seconds: float = 0) -> wire.TaskAnswer:
        documents = self._client.documents
        known = await self._uploads.task_of(task_id, wait_seconds)
        if known is None:
            return uploading(task_id)
        if wait_seconds:
            try:
                return await documents.wait_for_task(known, timeout=wait_seconds, poll_interval=0.5)
            except TimeoutError:
                pass
        return await documents.get_task_status(known)

    async def cancel(self, task_id: str) -> None:
        self._submissions.forget(task_id)
        known = await self._uploads.task_of(task_id, 0)
        if known is None:
            self._uploads.stop(task_id)
        else:
            await self._client.tasks.cancel(known)

    async def documents(self, query: str, limit: int, cursor: str = "") -> wire.DocumentsAnswer:
        return await self._client.documents.list(query, limit=limit, cursor=cursor)

    async def document(self, name: str, limit: int, cursor: str = "") -> wire.DocumentAnswer:
        return await self._client.documents.get(name, limit=limit, cursor=cursor)

    async def delete(self, name: str) -> wire.DeleteAnswer:
        return await self._client.documents.delete(name)

    async def stats(self) -> wire.StatsAnswer:
        return await self._client.stats()

    async def index(self, force: bool) -> Started:
        async def submit() -> str:
            return (await self._client.documents.index(force=force)).task_id

        return await self._submissions.once(("index", force), submit, self.task)

    async def entities(self, query: str, type: str, limit: int, cursor: str = "") -> model.EntityPage:
        return await self._client.graph.entities(query, type=type, limit=limit, cursor=cursor)

    async def search_entities(self, query: str, type: str, limit: int) -> wire.EntitySearchAnswer:
        return await self._client.graph.search(query, type=type, limit=limit)

    async def relations(self, entity: str, direction: model.Direction, limit: int) -> model.Relations:
        return await self._client.graph.relations(entity, direction=direction, limit=limit)

    async def trace(self, entity: str, direction: model.Stream, depth: int) -> model.Trace:
        return await self._client.graph.trace(entity, direction=direction, depth=depth)

    async def path(self, start: str, end: str, max_depth: int, any_direction: bool) -> model.Path:
        return await self._client.graph.path(start, end, max_depth=max_depth, any_direction=any_direction)

    async def graph_stats(self) -> model.GraphStats:
        return await self._client.graph.stats()

    async def schema(self) -> model.Schema:
        return await self._client.graph.schema()

    async def operations(self, query: str, options: OperationOptions) -> model.OperationPage:
        return await self._client.operations.list(query, **options)

    async def describe_operation(self, operation_id: str) -> model.OperationDetail:
        return await self._client.operations.get(operation_id)

    async def describe_operations(self, ids: Sequence[str]) -> Sequence[model.OperationDetail]:
        return [await self._client.operations.get(id) for id in ids]

    async def run_operation(self, operation_id: str, options: RunOptions) -> model.OperationAnswer:
        return await self._client.operations.run(operation_id, **options)

    async def more_of(self, cursor: str) -> model.OperationAnswer:
        return await self._client.operations.more(cursor)

    async def settings(self) -> wire.SettingsAnswer:
        return await self._client.settings.get()

    async def change_settings(self, changes: Mapping[str, str | int | bool]) -> wire.SettingsChanged:
        return await self._client.settings.update(**cast("SettingsChange", changes))

    async def models(self, provider: str) -> wire.ModelsAnswer:
        return await self._client.models.list(provider)

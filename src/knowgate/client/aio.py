"""`AsyncClient`: the same as `Client`, to be awaited."""

from __future__ import annotations

import builtins
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from knowgate import model, wire
from knowgate.client import routes, uploads, waiting
from knowgate.client.connection import AsyncConnection
from knowgate.client.errors import ConflictError
from knowgate.client.options import read_options
from knowgate.client.stream import AsyncChatStream
from knowgate.model import Scope

if TYPE_CHECKING:
    import httpx2


class AsyncClient:
    """A server's documents, chats and settings. Close it, or use it as a context manager.

    Without arguments: the key from KNOWGATE_API_KEY or OPENRAG_API_KEY, the address from KNOWGATE_URL or OPENRAG_URL,
    else http://localhost:3000. An `http_client` of your own stays open.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 30.0,
        extra_headers: Mapping[str, str] | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        options = read_options(api_key, base_url, timeout, extra_headers, os.environ)
        self._connection = connection = AsyncConnection(options, http_client)
        self.chat = Chat(connection)
        self.search = Search(connection)
        self.documents = Documents(connection)
        self.graph = Graph(connection)
        self.operations = Operations(connection)
        self.tasks = Tasks(connection)
        self.filters = Filters(connection)
        self.settings = Settings(connection)
        self.models = Models(connection)
        self.keys = Keys(connection)
        self.audit = Audit(connection)
        self.approvals = Approvals(connection)

    async def stats(self) -> wire.StatsAnswer:
        return await self._connection.send(routes.stats())

    async def aclose(self) -> None:
        await self._connection.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Room:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._send = connection.send


class Chat(_Room):
    async def create(self, message: str, **how: Unpack[routes.ChatOptions]) -> wire.ChatReply:
        return await self._send(routes.chat(message, **how))

    def stream(self, message: str, **how: Unpack[routes.ChatOptions]) -> AsyncChatStream:
        """The answer as it comes. Asked when it is first iterated."""
        return AsyncChatStream(self._connection.messages(routes.chat(message, stream=True, **how)))

    async def list(self, *, limit: int | None = None, cursor: str = "") -> wire.ConversationList:
        """Latest first."""
        return await self._send(routes.chats(limit=limit, cursor=cursor))

    async def get(self, chat_id: str) -> wire.ConversationDetail:
        return await self._send(routes.one_chat(chat_id))

    async def delete(self, chat_id: str) -> wire.Done:
        return await self._send(routes.delete_chat(chat_id))


class Search(_Room):
    async def query(self, query: str, *, cursor: str = "", **how: Unpack[routes.SearchOptions]) -> wire.SearchAnswer:
        return await self._send(routes.search(query, cursor=cursor, **how))

    async def pages(self, query: str, **how: Unpack[routes.SearchOptions]) -> AsyncIterator[wire.SearchAnswer]:
        """One answer after the other, until there is no more."""
        cursor = ""
        while True:
            answer = await self.query(query, cursor=cursor, **how)
            yield answer
            if not (cursor := answer.cursor):
                return


class Documents(_Room):
    @overload
    async def ingest(
        self,
        paths: uploads.Paths | None = None,
        *,
        wait: Literal[True] = True,
        timeout: float = 300.0,
        **handed: Unpack[uploads.Handed],
    ) -> wire.TaskAnswer: ...
    @overload
    async def ingest(
        self,
        paths: uploads.Paths | None = None,
        *,
        wait: Literal[False],
        timeout: float = 300.0,
        **handed: Unpack[uploads.Handed],
    ) -> wire.IngestAnswer: ...
    async def ingest(
        self,
        paths: uploads.Paths | None = None,
        *,
        wait: bool = True,
        timeout: float = 300.0,
        **handed: Unpack[uploads.Handed],
    ) -> wire.TaskAnswer | wire.IngestAnswer:
        """Upload files and whole folders, or hand over a `file`, a `url` or a `text`, and wait until it is indexed.

        A large folder goes in batches, each a task of its own. The task id then names them all, separated by commas,
        and everything that takes a task id takes that.
        """
        from anyio import to_thread

        # A large folder takes a while to list.
        calls = await to_thread.run_sync(partial(uploads.ingest_calls, paths, **handed))
        answer = uploads.together([await self._send(call) for call in calls])
        return await self.wait_for_task(answer.task_id, timeout=timeout) if wait else answer

    async def index(self, *, force: bool = False) -> wire.IngestAnswer:
        """Have the server bring the folders it is configured with up to date."""
        return await self._send(routes.index(force=force))

    async def get_task_status(self, task_id: str) -> wire.TaskAnswer:
        return waiting.together([await self._send(routes.one_task(each)) for each in waiting.ids_of(task_id)])

    async def wait_for_task(
        self, task_id: str, *, timeout: float = 300.0, poll_interval: float = 1.0
    ) -> wire.TaskAnswer:
        """Raises TimeoutError; the task goes on all the same."""
        from anyio import sleep

        patience = waiting.Patience.starting_now(timeout, poll_interval)
        done: list[wire.TaskAnswer] = []
        left = waiting.ids_of(task_id)
        while patience.left(asked := time.monotonic()) > 0:
            task = await self._send(routes.one_task(left[0], wait_seconds=patience.hold(asked)))
            if not waiting.finished(task):
                await sleep(patience.pause(asked, time.monotonic()))
                continue
            done.append(task)
            left.pop(0)
            if not left:
                return waiting.together(done)
        raise waiting.out_of_time(task_id, timeout)

    async def list(self, query: str = "", *, limit: int | None = None, cursor: str = "") -> wire.DocumentsAnswer:
        return await self._send(routes.documents(query, limit=limit, cursor=cursor))

    async def iterate(self, query: str = "") -> AsyncIterator[wire.Listed]:
        """All of them, fetched page by page."""
        cursor = ""
        while True:
            page = await self.list(query, cursor=cursor)
            for document in page.documents:
                yield document
            if not (cursor := page.cursor):
                return

    async def get(self, filename: str, *, limit: int | None = None, cursor: str = "") -> wire.DocumentAnswer:
        """A document and its passages in order."""
        return await self._send(routes.one_document(filename, limit=limit, cursor=cursor))

    async def delete(self, filename: str) -> wire.DeleteAnswer:
        """A document that is not there is no error: `success` is False."""
        return await self._send(routes.delete_document(filename))

    async def delete_matching(self, filter_id: str) -> wire.DeleteAnswer:
        """All that a saved filter names."""
        return await self._send(routes.delete_matching(filter_id))


class Graph(_Room):
    """What the documents name, and how it hangs together."""

    async def entities(
        self, query: str = "", *, type: str = "", limit: int | None = None, cursor: str = ""
    ) -> model.EntityPage:
        return await self._send(routes.entities(query, type=type, limit=limit, cursor=cursor))

    async def search(self, query: str, *, type: str = "", limit: int | None = None) -> wire.EntitySearchAnswer:
        """By meaning."""
        return await self._send(routes.search_entities(query, type=type, limit=limit))

    async def relations(
        self, entity: str, *, direction: model.Direction = "both", limit: int | None = None
    ) -> model.Relations:
        return await self._send(routes.relations(entity, direction=direction, limit=limit))

    async def trace(self, entity: str, direction: model.Stream, *, depth: int | None = None) -> model.Trace:
        return await self._send(routes.trace(entity, direction=direction, depth=depth))

    async def path(
        self, start: str, end: str, *, max_depth: int | None = None, any_direction: bool = False
    ) -> model.Path:
        """The shortest; `relations` is None when there is none."""
        return await self._send(routes.path(start, end, max_depth=max_depth, any_direction=any_direction))

    async def stats(self) -> model.GraphStats:
        return await self._send(routes.graph_stats())

    async def schema(self) -> model.Schema:
        return await self._send(routes.graph_schema())

    async def merge(self, names: Sequence[str], into: str) -> wire.Done:
        return await self._send(routes.merge_entities(names, into))

    async def rename(self, name: str, to: str) -> wire.Done:
        return await self._send(routes.rename_entity(name, to))

    async def forget(self, name: str) -> wire.Done:
        """Take back what was decided about a name."""
        return await self._send(routes.forget_entity_name(name))

    async def alias(self, name: str, alias: str) -> wire.Done:
        return await self._send(routes.alias_entity(name, alias))


class Operations(_Room):
    """What the configured APIs can do."""

    async def apis(self) -> builtins.list[model.ApiInfo]:
        return await self._send(routes.apis())

    async def list(
        self,
        query: str = "",
        *,
        api: str = "",
        tag: str = "",
        method: str = "",
        limit: int | None = None,
        cursor: str = "",
    ) -> model.OperationPage:
        """With a query, by meaning."""
        return await self._send(routes.operations(query, api=api, tag=tag, method=method, limit=limit, cursor=cursor))

    async def get(self, operation_id: str) -> model.OperationDetail:
        return await self._send(routes.one_operation(operation_id))

    async def run(
        self,
        operation_id: str,
        parameters: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        fields: Sequence[str] = (),
        dry_run: bool = False,
        auth_profile: str = "",
        environment: str = "",
        max_pages: int = 1,
    ) -> model.OperationAnswer:
        """Call it. What the API answers is an answer, whatever its status; a refusal of the policy is an error."""
        call = routes.run_operation(
            operation_id,
            parameters,
            body,
            fields=fields,
            dry_run=dry_run,
            auth_profile=auth_profile,
            environment=environment,
            max_pages=max_pages,
        )
        return await self._send(call)

    async def more(self, cursor: str) -> model.OperationAnswer:
        """What had no room in an answer."""
        return await self._send(routes.more_of(cursor))


class Tasks(_Room):
    async def list(self, *, limit: int | None = None) -> wire.TaskList:
        """Newest first, without their files."""
        return await self._send(routes.tasks(limit=limit))

    async def cancel(self, task_id: str) -> wire.TaskAnswer:
        """Of several tasks those that have not ended; refused when all have."""
        cancelled: list[wire.TaskAnswer] = []
        ended: ConflictError | None = None
        for each in waiting.ids_of(task_id):
            try:
                cancelled.append(await self._send(routes.cancel_task(each)))
            except ConflictError as error:
                ended = error
        if ended and not cancelled:
            raise ended
        return waiting.together(cancelled)

    async def retry(self, task_id: str) -> wire.TaskAnswer:
        """A new task for the same; what has not changed is skipped."""
        return waiting.together([await self._send(routes.retry_task(each)) for each in waiting.ids_of(task_id)])


class Filters(_Room):
    async def create(
        self, name: str, *, description: str = "", **scope: Unpack[routes.FilterScope]
    ) -> wire.FilterCreated:
        return await self._send(routes.create_filter(name, scope, description=description))

    async def search(self, query: str = "", *, limit: int | None = None) -> wire.FilterList:
        return await self._send(routes.search_filters(query, limit=limit))

    async def get(self, filter_id: str) -> wire.FilterAnswer:
        return await self._send(routes.one_filter(filter_id))

    async def update(
        self,
        filter_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        **scope: Unpack[routes.FilterScope],
    ) -> wire.FilterAnswer:
        """What is not given stays; but any part of the scope replaces the whole of it."""
        return await self._send(routes.update_filter(filter_id, scope, name=name, description=description))

    async def delete(self, filter_id: str) -> wire.Done:
        return await self._send(routes.delete_filter(filter_id))


class Settings(_Room):
    async def get(self) -> wire.SettingsAnswer:
        return await self._send(routes.settings())

    async def update(self, **change: Unpack[routes.SettingsChange]) -> wire.SettingsChanged:
        return await self._send(routes.update_settings(change))


class Models(_Room):
    async def list(self, provider: str) -> wire.ModelsAnswer:
        return await self._send(routes.models(provider))


class Audit(_Room):
    """For administrators."""

    async def list(
        self, *, limit: int | None = None, cursor: str = "", **only: Unpack[routes.AuditFilter]
    ) -> wire.AuditPage:
        """What was done, newest first."""
        return await self._send(routes.audit(limit=limit, cursor=cursor, **only))

    async def get(self, id: str) -> wire.AuditRecord:
        return await self._send(routes.audit_record(id))

    async def verify(self) -> wire.AuditVerdict:
        """Whether anybody changed the trail."""
        return await self._send(routes.verify_audit())


class Approvals(_Room):
    """For administrators; who asked cannot answer."""

    async def list(self, *, all: bool = False) -> wire.ApprovalList:
        """What waits for an answer, or all."""
        return await self._send(routes.approvals(all=all))

    async def give(self, id: str) -> wire.ApprovalItem:
        """Let the call be made, once."""
        return await self._send(routes.answer_approval(id, "give"))

    async def refuse(self, id: str, *, reason: str = "") -> wire.ApprovalItem:
        return await self._send(routes.answer_approval(id, "refuse", reason=reason))

    async def clear(self, id: str) -> wire.ApprovalItem:
        """Allow a call again whose answer was lost, after somebody looked whether it was done."""
        return await self._send(routes.answer_approval(id, "clear"))


class Keys(_Room):
    async def create(
        self,
        name: str,
        *,
        scopes: Sequence[Scope] | None = None,
        filter_id: str | None = None,
        expires_at: datetime | str | None = None,
    ) -> wire.KeyCreated:
        """The answer is the only one to show the key."""
        return await self._send(routes.create_key(name, scopes=scopes, filter_id=filter_id, expires_at=expires_at))

    async def list(self) -> wire.KeyList:
        return await self._send(routes.keys())

    async def revoke(self, key_id: str) -> wire.Done:
        return await self._send(routes.revoke_key(key_id))

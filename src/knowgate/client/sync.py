"""`Client`: what the server offers, as plain calls."""

from __future__ import annotations

import builtins
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from knowgate import model, wire
from knowgate.client import routes, uploads, waiting
from knowgate.client.connection import Connection
from knowgate.client.errors import ConflictError
from knowgate.client.options import read_options
from knowgate.client.stream import ChatStream
from knowgate.model import Scope

if TYPE_CHECKING:
    import httpx2


class Client:
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
        http_client: httpx2.Client | None = None,
    ) -> None:
        options = read_options(api_key, base_url, timeout, extra_headers, os.environ)
        self._connection = connection = Connection(options, http_client)
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

    def stats(self) -> wire.StatsAnswer:
        return self._connection.send(routes.stats())

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Room:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._send = connection.send


class Chat(_Room):
    def create(self, message: str, **how: Unpack[routes.ChatOptions]) -> wire.ChatReply:
        return self._send(routes.chat(message, **how))

    def stream(self, message: str, **how: Unpack[routes.ChatOptions]) -> ChatStream:
        """The answer as it comes. Asked when it is first iterated."""
        return ChatStream(self._connection.messages(routes.chat(message, stream=True, **how)))

    def list(self, *, limit: int | None = None, cursor: str = "") -> wire.ConversationList:
        """Latest first."""
        return self._send(routes.chats(limit=limit, cursor=cursor))

    def get(self, chat_id: str) -> wire.ConversationDetail:
        return self._send(routes.one_chat(chat_id))

    def delete(self, chat_id: str) -> wire.Done:
        return self._send(routes.delete_chat(chat_id))


class Search(_Room):
    def query(self, query: str, *, cursor: str = "", **how: Unpack[routes.SearchOptions]) -> wire.SearchAnswer:
        return self._send(routes.search(query, cursor=cursor, **how))

    def pages(self, query: str, **how: Unpack[routes.SearchOptions]) -> Iterator[wire.SearchAnswer]:
        """One answer after the other, until there is no more."""
        cursor = ""
        while True:
            answer = self.query(query, cursor=cursor, **how)
            yield answer
            if not (cursor := answer.cursor):
                return


class Documents(_Room):
    @overload
    def ingest(
        self,
        paths: uploads.Paths | None = None,
        *,
        wait: Literal[True] = True,
        timeout: float = 300.0,
        **handed: Unpack[uploads.Handed],
    ) -> wire.TaskAnswer: ...
    @overload
    def ingest(
        self,
        paths: uploads.Paths | None = None,
        *,
        wait: Literal[False],
        timeout: float = 300.0,
        **handed: Unpack[uploads.Handed],
    ) -> wire.IngestAnswer: ...
    def ingest(
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
        calls = uploads.ingest_calls(paths, **handed)
        answer = uploads.together([self._send(call) for call in calls])
        return self.wait_for_task(answer.task_id, timeout=timeout) if wait else answer

    def index(self, *, force: bool = False) -> wire.IngestAnswer:
        """Have the server bring the folders it is configured with up to date."""
        return self._send(routes.index(force=force))

    def get_task_status(self, task_id: str) -> wire.TaskAnswer:
        return waiting.together([self._send(routes.one_task(each)) for each in waiting.ids_of(task_id)])

    def wait_for_task(self, task_id: str, *, timeout: float = 300.0, poll_interval: float = 1.0) -> wire.TaskAnswer:
        """Raises TimeoutError; the task goes on all the same."""
        patience = waiting.Patience.starting_now(timeout, poll_interval)
        done: list[wire.TaskAnswer] = []
        left = waiting.ids_of(task_id)
        while patience.left(asked := time.monotonic()) > 0:
            task = self._send(routes.one_task(left[0], wait_seconds=patience.hold(asked)))
            if not waiting.finished(task):
                time.sleep(patience.pause(asked, time.monotonic()))
                continue
            done.append(task)
            left.pop(0)
            if not left:
                return waiting.together(done)
        raise waiting.out_of_time(task_id, timeout)

    def list(self, query: str = "", *, limit: int | None = None, cursor: str = "") -> wire.DocumentsAnswer:
        return self._send(routes.documents(query, limit=limit, cursor=cursor))

    def iterate(self, query: str = "") -> Iterator[wire.Listed]:
        """All of them, fetched page by page."""
        cursor = ""
        while True:
            page = self.list(query, cursor=cursor)
            yield from page.documents
            if not (cursor := page.cursor):
                return

    def get(self, filename: str, *, limit: int | None = None, cursor: str = "") -> wire.DocumentAnswer:
        """A document and its passages in order."""
        return self._send(routes.one_document(filename, limit=limit, cursor=cursor))

    def delete(self, filename: str) -> wire.DeleteAnswer:
        """A document that is not there is no error: `success` is False."""
        return self._send(routes.delete_document(filename))

    def delete_matching(self, filter_id: str) -> wire.DeleteAnswer:
        """All that a saved filter names."""
        return self._send(routes.delete_matching(filter_id))


class Graph(_Room):
    """What the documents name, and how it hangs together."""

    def entities(
        self, query: str = "", *, type: str = "", limit: int | None = None, cursor: str = ""
    ) -> model.EntityPage:
        return self._send(routes.entities(query, type=type, limit=limit, cursor=cursor))

    def search(self, query: str, *, type: str = "", limit: int | None = None) -> wire.EntitySearchAnswer:
        """By meaning."""
        return self._send(routes.search_entities(query, type=type, limit=limit))

    def relations(
        self, entity: str, *, direction: model.Direction = "both", limit: int | None = None
    ) -> model.Relations:
        return self._send(routes.relations(entity, direction=direction, limit=limit))

    def trace(self, entity: str, direction: model.Stream, *, depth: int | None = None) -> model.Trace:
        return self._send(routes.trace(entity, direction=direction, depth=depth))

    def path(self, start: str, end: str, *, max_depth: int | None = None, any_direction: bool = False) -> model.Path:
        """The shortest; `relations` is None when there is none."""
        return self._send(routes.path(start, end, max_depth=max_depth, any_direction=any_direction))

    def stats(self) -> model.GraphStats:
        return self._send(routes.graph_stats())

    def schema(self) -> model.Schema:
        return self._send(routes.graph_schema())

    def merge(self, names: Sequence[str], into: str) -> wire.Done:
        return self._send(routes.merge_entities(names, into))

    def rename(self, name: str, to: str) -> wire.Done:
        return self._send(routes.rename_entity(name, to))

    def forget(self, name: str) -> wire.Done:
        """Take back what was decided about a name."""
        return self._send(routes.forget_entity_name(name))

    def alias(self, name: str, alias: str) -> wire.Done:
        return self._send(routes.alias_entity(name, alias))


class Operations(_Room):
    """What the configured APIs can do."""

    def apis(self) -> builtins.list[model.ApiInfo]:
        return self._send(routes.apis())

    def list(
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
        return self._send(routes.operations(query, api=api, tag=tag, method=method, limit=limit, cursor=cursor))

    def get(self, operation_id: str) -> model.OperationDetail:
        return self._send(routes.one_operation(operation_id))

    def run(
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
        return self._send(call)

    def more(self, cursor: str) -> model.OperationAnswer:
        """What had no room in an answer."""
        return self._send(routes.more_of(cursor))


class Tasks(_Room):
    def list(self, *, limit: int | None = None) -> wire.TaskList:
        """Newest first, without their files."""
        return self._send(routes.tasks(limit=limit))

    def cancel(self, task_id: str) -> wire.TaskAnswer:
        """Of several tasks those that have not ended; refused when all have."""
        cancelled: list[wire.TaskAnswer] = []
        ended: ConflictError | None = None
        for each in waiting.ids_of(task_id):
            try:
                cancelled.append(self._send(routes.cancel_task(each)))
            except ConflictError as error:
                ended = error
        if ended and not cancelled:
            raise ended
        return waiting.together(cancelled)

    def retry(self, task_id: str) -> wire.TaskAnswer:
        """A new task for the same; what has not changed is skipped."""
        return waiting.together([self._send(routes.retry_task(each)) for each in waiting.ids_of(task_id)])


class Filters(_Room):
    def create(self, name: str, *, description: str = "", **scope: Unpack[routes.FilterScope]) -> wire.FilterCreated:
        return self._send(routes.create_filter(name, scope, description=description))

    def search(self, query: str = "", *, limit: int | None = None) -> wire.FilterList:
        return self._send(routes.search_filters(query, limit=limit))

    def get(self, filter_id: str) -> wire.FilterAnswer:
        return self._send(routes.one_filter(filter_id))

    def update(
        self,
        filter_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        **scope: Unpack[routes.FilterScope],
    ) -> wire.FilterAnswer:
        """What is not given stays; but any part of the scope replaces the whole of it."""
        return self._send(routes.update_filter(filter_id, scope, name=name, description=description))

    def delete(self, filter_id: str) -> wire.Done:
        return self._send(routes.delete_filter(filter_id))


class Settings(_Room):
    def get(self) -> wire.SettingsAnswer:
        return self._send(routes.settings())

    def update(self, **change: Unpack[routes.SettingsChange]) -> wire.SettingsChanged:
        return self._send(routes.update_settings(change))


class Models(_Room):
    def list(self, provider: str) -> wire.ModelsAnswer:
        return self._send(routes.models(provider))


class Audit(_Room):
    """For administrators."""

    def list(self, *, limit: int | None = None, cursor: str = "", **only: Unpack[routes.AuditFilter]) -> wire.AuditPage:
        """What was done, newest first."""
        return self._send(routes.audit(limit=limit, cursor=cursor, **only))

    def get(self, id: str) -> wire.AuditRecord:
        return self._send(routes.audit_record(id))

    def verify(self) -> wire.AuditVerdict:
        """Whether anybody changed the trail."""
        return self._send(routes.verify_audit())


class Approvals(_Room):
    """For administrators; who asked cannot answer."""

    def list(self, *, all: bool = False) -> wire.ApprovalList:
        """What waits for an answer, or all."""
        return self._send(routes.approvals(all=all))

    def give(self, id: str) -> wire.ApprovalItem:
        """Let the call be made, once."""
        return self._send(routes.answer_approval(id, "give"))

    def refuse(self, id: str, *, reason: str = "") -> wire.ApprovalItem:
        return self._send(routes.answer_approval(id, "refuse", reason=reason))

    def clear(self, id: str) -> wire.ApprovalItem:
        """Allow a call again whose answer was lost, after somebody looked whether it was done."""
        return self._send(routes.answer_approval(id, "clear"))


class Keys(_Room):
    def create(
        self,
        name: str,
        *,
        scopes: Sequence[Scope] | None = None,
        filter_id: str | None = None,
        expires_at: datetime | str | None = None,
    ) -> wire.KeyCreated:
        """The answer is the only one to show the key."""
        return self._send(routes.create_key(name, scopes=scopes, filter_id=filter_id, expires_at=expires_at))

    def list(self) -> wire.KeyList:
        return self._send(routes.keys())

    def revoke(self, key_id: str) -> wire.Done:
        return self._send(routes.revoke_key(key_id))

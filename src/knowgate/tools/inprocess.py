"""The backend in this process: an engine, for one caller."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import to_thread

from knowgate import adjust, answers, calls, model, wire
from knowgate.tools.backend import Handed, OperationOptions, PathKind, RunOptions, SearchOptions, Started
from knowgate.tools.paths import path_kind
from knowgate.tools.submissions import Submissions, key_of

if TYPE_CHECKING:
    from knowgate.engine import Engine

T = TypeVar("T")


class InProcess:
    def __init__(self, engine: Engine, submissions: Submissions, attend: Callable[[], None]) -> None:
        """`attend` sees to it that somebody in this process does the tasks."""
        self._engine = engine
        self._submissions = submissions
        self._attend = attend

    def called_by(self, agent: str) -> InProcess:
        engine = self._engine
        known = engine.acting_for(engine.principal, agent=agent, address=engine.address)
        return InProcess(known, self._submissions, self._attend)

    async def answer_approval(self, id: str, yes: bool) -> None:
        answer = self._engine.give_approval if yes else self._engine.refuse_approval
        await _aside(lambda: answer(id, "elicitation"))

    async def search(self, query: str, options: SearchOptions) -> wire.SearchAnswer:
        def find() -> wire.SearchAnswer:
            inline = {name: options.get(name) for name in ("data_sources", "document_types")}
            where, limit, threshold = calls.narrowed(
                self._engine,
                options.get("filter_id"),
                inline,
                options.get("limit"),
                options.get("score_threshold", 0.0),
            )
            found = self._engine.search(
                query,
                mode=options.get("mode", "hybrid"),
                limit=limit,
                threshold=threshold,
                where=where,
                cursor=options.get("cursor", ""),
            )
            return answers.search(found)

        return await _aside(find)

    async def chat(
        self, message: str, *, chat_id: str | None, filter_id: str | None, limit: int | None, score_threshold: float
    ) -> wire.ChatReply:
        from knowgate.knowledge.chat.chat import Done

        self._attend()
        where, limit, threshold = await _aside(
            lambda: calls.narrowed(self._engine, filter_id, {}, limit, score_threshold)
        )
        events = self._engine.stream_chat(message, chat_id=chat_id or "", where=where, limit=limit, threshold=threshold)
        return [answers.chat(event.answer) async for event in events if isinstance(event, Done)][-1]

    async def path_kind(self, path: str) -> PathKind:
        # What lies on this machine is no business of whoever calls from elsewhere.
        await _aside(self._engine.may_rule)
        return await _aside(partial(path_kind, path))

    async def ingest(self, handed: Handed) -> Started:
        engine = self._engine

        def submit() -> str:
            if handed.text is not None:
                return engine.submit(text=handed.text, filename=handed.filename).id
            return engine.submit([handed.url or handed.path]).id

        await _aside(lambda: engine.may("write"))
        self._attend()
        key = (engine.principal.id, await _aside(lambda: key_of(handed)))
        # Not aside: a call that is taken back in this moment must know the task that it takes back.
        return await self._submissions.once(key, lambda: to_thread.run_sync(submit), self.task)

    async def task(self, task_id: str, wait_seconds: float = 0) -> wire.TaskAnswer:
        # Many may wait at once, so they do not wait in threads.
        deadline = time.monotonic() + wait_seconds
        pause = 0.02
        while not (task := await _aside(lambda: self._engine.task(task_id))).finished:
            self._attend()
            if time.monotonic() >= deadline:
                break
            await anyio.sleep(min(pause, max(0.0, deadline - time.monotonic())))
            pause = min(0.5, pause * 1.5)
        files = await _aside(lambda: self._engine.task_files(task_id))
        return answers.task(task, files)

    async def cancel(self, task_id: str) -> None:
        self._submissions.forget(task_id)
        await _aside(lambda: self._engine.cancel(task_id))

    async def documents(self, query: str, limit: int, cursor: str = "") -> wire.DocumentsAnswer:
        return await _aside(lambda: calls.documents(self._engine, query, limit, cursor))

    async def document(self, name: str, limit: int, cursor: str = "") -> wire.DocumentAnswer:
        return await _aside(lambda: calls.document(self._engine, name, limit, cursor))

    async def delete(self, name: str) -> wire.DeleteAnswer:
        return await _aside(lambda: calls.delete(self._engine, name))

    async def stats(self) -> wire.StatsAnswer:
        return await _aside(lambda: calls.stats(self._engine))

    async def index(self, force: bool) -> Started:
        engine = self._engine
        self._attend()
        key = (engine.principal.id, ("index", force))
        return await self._submissions.once(key, lambda: to_thread.run_sync(lambda: engine.index(force).id), self.task)

    async def entities(self, query: str, type: str, limit: int, cursor: str = "") -> model.EntityPage:
        return await _aside(lambda: self._engine.entities(query, type=type, limit=limit, cursor=cursor))

    async def search_entities(self, query: str, type: str, limit: int) -> wire.EntitySearchAnswer:
        return await _aside(lambda: calls.search_entities(self._engine, query, type, limit))

    async def relations(self, entity: str, direction: model.Direction, limit: int) -> model.Relations:
        return await _aside(lambda: self._engine.relations(entity, direction=direction, limit=limit))

    async def trace(self, entity: str, direction: model.Stream, depth: int) -> model.Trace:
        return await _aside(lambda: self._engine.trace(entity, direction=direction, depth=depth))

    async def path(self, start: str, end: str, max_depth: int, any_direction: bool) -> model.Path:
        return await _aside(lambda: self._engine.path(start, end, max_depth=max_depth, any_direction=any_direction))

    async def graph_stats(self) -> model.GraphStats:
        return await _aside(self._engine.graph_stats)

    async def schema(self) -> model.Schema:
        return await _aside(self._engine.graph_schema)

    async def operations(self, query: str, options: OperationOptions) -> model.OperationPage:
        if query:
            # An API that is new to the index gets its vectors.
            self._attend()
        return await _aside(lambda: self._engine.operations(query, **options))

    async def describe_operation(self, operation_id: str) -> model.OperationDetail:
        return await _aside(lambda: self._engine.describe_operation(operation_id))

    async def describe_operations(self, ids: Sequence[str]) -> Sequence[model.OperationDetail]:
        return await _aside(lambda: self._engine.describe_operations(ids))

    async def run_operation(self, operation_id: str, options: RunOptions) -> model.OperationAnswer:
        return await _aside(lambda: self._engine.run_operation(operation_id, **options))

    async def more_of(self, cursor: str) -> model.OperationAnswer:
        return await _aside(lambda: self._engine.more_of(cursor))

    async def settings(self) -> wire.SettingsAnswer:
        return await _aside(lambda: adjust.in_force(self._engine))

    async def change_settings(self, changes: Mapping[str, str | int | bool]) -> wire.SettingsChanged:
        return await _aside(lambda: adjust.change(self._engine, changes))

    async def models(self, provider: str) -> wire.ModelsAnswer:
        return await _aside(lambda: adjust.models(self._engine, provider))


async def _aside(work: Callable[[], T]) -> T:
    """In a thread; a caller who has left is not kept waiting for it."""
    return await to_thread.run_sync(work, abandon_on_cancel=True)

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from knowgate import Engine
from knowgate.errors import NotFoundError
from knowgate.tools.backend import Handed
from knowgate.tools.inprocess import InProcess
from knowgate.tools.submissions import Submissions
from knowgate.tools.watch import bring_in, finished, watch, with_heartbeat
from knowgate.workers import Workers

pytestmark = pytest.mark.anyio


class Caller:
    def __init__(self) -> None:
        self.told: list[tuple[str, float, float | None]] = []
        self.undo: list[Callable[[], Awaitable[object]]] = []

    async def report(self, message: str, done: float = 0, total: float | None = None) -> None:
        self.told.append((message, done, total))

    def if_cancelled(self, undo: Callable[[], Awaitable[object]]) -> None:
        self.undo.append(undo)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def backend(engine: Engine) -> InProcess:
    return InProcess(engine, Submissions(), attend=lambda: None)


async def test_without_waiting_the_task_is_told_as_it_is(backend: InProcess, docs: Path) -> None:
    caller = Caller()
    task = await bring_in(backend, Handed(path=str(docs)), wait=False, call=caller)
    assert not finished(task)
    assert len(caller.undo) == 1
    # Whoever asks for the same does not take it back for the first.
    await bring_in(backend, Handed(path=str(docs)), wait=False, call=caller)
    assert len(caller.undo) == 1
    await caller.undo[0]()
    assert finished(await watch(backend, task.task_id, 0, caller))


async def test_progress_rises_while_nothing_is_done(
    backend: InProcess, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowgate.tools.watch._STEP_SECONDS", 0.01)
    caller = Caller()
    started = await backend.ingest(Handed(path=str(docs)))
    async with anyio.create_task_group() as group:
        group.start_soon(watch, backend, started.task_id, 60, caller)
        while len(caller.told) < 3:
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    values = [done for _, done, _ in caller.told]
    assert values == sorted(set(values))
    assert not finished(await watch(backend, started.task_id, 0.02, caller))


async def test_the_end_is_told_at_once(
    engine: Engine, backend: InProcess, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowgate.tools.watch.LONGEST_WAIT", 600)
    workers = Workers(engine, print)
    workers.start()
    task = await bring_in(backend, Handed(path=str(docs)), wait=True, call=Caller())
    workers.stop()
    assert (task.status, task.successful_files) == ("completed", 2)


async def test_a_heartbeat_ends_with_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowgate.tools.watch._STEP_SECONDS", 0.01)
    caller = Caller()

    async def work() -> str:
        while len(caller.told) < 3:
            await anyio.sleep(0.01)
        return "done"

    async def fail() -> str:
        raise NotFoundError("gone", "It is gone.")

    assert await with_heartbeat(caller, "working", work()) == "done"
    assert [done for _, done, _ in caller.told[:3]] == [1, 2, 3]
    with pytest.raises(NotFoundError, match="It is gone"):
        await with_heartbeat(caller, "working", fail())

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from knowgate import Engine
from knowgate.tools.backend import Handed
from knowgate.tools.inprocess import InProcess
from knowgate.tools.submissions import Submissions, key_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def backend(engine: Engine) -> InProcess:
    """Nobody takes the tasks up."""
    return InProcess(engine, Submissions(), attend=lambda: None)


@pytest.mark.parametrize(
    "handed",
    [
        lambda docs: Handed(path=str(docs)),
        lambda docs: Handed(path=str(docs / "refunds.md")),
        lambda _: Handed(url="https://example.com/a"),
        lambda _: Handed(text="# A note", filename="note.md"),
    ],
)
async def test_the_same_at_the_same_time_is_one_task(
    backend: InProcess, engine: Engine, docs: Path, handed: Callable[[Path], Handed]
) -> None:
    started = []

    async def ask() -> None:
        started.append(await backend.ingest(handed(docs)))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(ask)
    assert len({each.task_id for each in started}) == 1
    assert sorted(each.new for each in started) == [False] * 4 + [True]
    assert len(engine.tasks()) == 1


async def test_what_is_done_is_done_anew(backend: InProcess, engine: Engine, docs: Path) -> None:
    first = await backend.ingest(Handed(path=str(docs)))
    engine.run(first.task_id)
    again = await backend.ingest(Handed(path=str(docs)))
    assert again.new
    engine.run(again.task_id)
    engine.forget(again.task_id)
    assert (await backend.ingest(Handed(path=str(docs)))).new


async def test_what_was_taken_back_is_asked_for_anew(backend: InProcess, docs: Path) -> None:
    first = await backend.ingest(Handed(path=str(docs)))
    await backend.cancel(first.task_id)
    assert (await backend.ingest(Handed(path=str(docs)))).task_id != first.task_id


async def test_what_failed_to_begin_is_not_remembered(backend: InProcess, docs: Path) -> None:
    missing = Handed(path=str(docs / "later.md"))
    with pytest.raises(Exception, match="There is no file"):
        await backend.ingest(missing)
    (docs / "later.md").write_text("# Later", encoding="utf-8")
    assert (await backend.ingest(missing)).new


def test_a_file_that_was_changed_is_something_else(docs: Path) -> None:
    path = docs / "refunds.md"
    before = key_of(Handed(path=str(path)))
    assert key_of(Handed(path=str(path))) == before
    path.write_text("# Other refunds\n\nNone.", encoding="utf-8")
    assert key_of(Handed(path=str(path))) != before
    assert key_of(Handed(text="a", filename="a.md")) != key_of(Handed(text="b", filename="a.md"))
    assert key_of(Handed(text="a", filename="a.md")) != key_of(Handed(text="a", filename="b.md"))


async def test_only_the_latest_are_remembered(docs: Path) -> None:
    submissions = Submissions()
    ids = iter(range(1000))

    async def submit() -> str:
        return str(next(ids))

    async def look(_: str) -> object:
        raise AssertionError("every key is new")

    for number in range(150):
        await submissions.once(number, submit, look)
    assert len(submissions._asked) == 100

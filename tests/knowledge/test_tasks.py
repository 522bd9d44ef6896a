from collections.abc import Iterator
from pathlib import Path

import pytest

from knowgate.errors import NotFoundError
from knowgate.knowledge import tasks as module
from knowgate.knowledge.sources import Source
from knowgate.knowledge.tasks import Request, Tasks
from knowgate.model import EmbedderIdentity
from knowgate.store.sqlite.store import SqliteStore


@pytest.fixture
def tasks(tmp_path: Path) -> Iterator[Tasks]:
    store = SqliteStore(tmp_path)
    yield Tasks(store)
    store.close()


def test_a_request_comes_back_as_it_was(tasks: Tasks) -> None:
    request = Request(("a", "b"), {"a": "A"}, True, "me", {"x": 1}, EmbedderIdentity("p", "m", 3))
    assert tasks.request(tasks.create("ingest", request).id) == request


def test_ids_sort_by_age(tasks: Tasks) -> None:
    made = [tasks.create("ingest", Request()).id for _ in range(5)]
    assert [task.id for task in tasks.all()] == sorted(made, reverse=True)


def test_old_finished_tasks_are_forgotten_but_not_the_one_that_finishes(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT", 3)
    monkeypatch.setattr(module, "_PRUNE_SECONDS", 0)
    first = tasks.create("ingest", Request())
    for _ in range(5):
        task = tasks.create("ingest", Request())
        tasks.list_files(task.id, [Source("s", "n")], [], [])
        tasks.finish(task.id)
    assert tasks.finish(first.id).status == "completed"
    assert len(tasks.all()) == 4
    monkeypatch.setattr(module, "KEPT_SECONDS", -1)
    last = tasks.create("ingest", Request())
    tasks.finish(last.id)
    assert [task.id for task in tasks.all()] == [last.id]
    waiting = tasks.create("ingest", Request())
    assert waiting.id in {task.id for task in tasks.unfinished()}


def test_an_unknown_task(tasks: Tasks) -> None:
    for call in (tasks.get, tasks.results, tasks.cancel, tasks.request):
        with pytest.raises(NotFoundError) as error:
            call("nope")
        assert error.value.code == "task_not_found"

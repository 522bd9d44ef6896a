"""A model reads what is in the index: found anew at once, paid for once, taken up where it was left."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from knowgate import Engine
from knowgate.config.knowledge import CustomField, Schema
from knowgate.knowledge.ingest import Progress
from knowgate.model import ModelUse, Task
from model_server import ModelServer

Open = Callable[..., Engine]
CHAIN = ("ash", "birch", "cedar", "dogwood", "elm", "fir")


def names_in(asked: dict[str, Any]) -> list[str]:
    passage = re.search(r"<passage-(\w+)>(.*)</passage-\1>", asked["messages"][1]["content"], re.S)
    assert passage
    return [name for name in CHAIN if name in passage[2]]


def chained(asked: dict[str, Any]) -> str:
    """Every tree feeds the next; and a made-up name, and a type that nobody asked for."""
    names = names_in(asked)
    entities = [{"name": name, "type": "TREE", "description": f"The {name}."} for name in [*names, "Yggdrasil"]]
    relations = [{"source": one, "target": two, "type": "USES"} for one, two in pairwise(names)]
    return json.dumps({"entities": entities, "relations": relations})


@pytest.fixture
def trees(tmp_path: Path, server: ModelServer) -> Path:
    """Three documents, each of one passage that names two trees in a way that no rule knows."""
    server.answer, server.tokens = chained, (100, 10)
    folder = tmp_path / "trees"
    folder.mkdir()
    for n, (one, two) in enumerate(zip(CHAIN[::2], CHAIN[1::2], strict=True)):
        (folder / f"{n}.md").write_text(
            f"# Trees\n\nWhere {one} grows, {two} thrives on what it leaves.\n", encoding="utf-8"
        )
    return folder


def related(engine: Engine) -> set[tuple[str, str]]:
    view = engine.rooms.graph.view()
    return {(each.source, each.target) for _, page in view.pages() for each in page}


def warned(engine: Engine, task: Task) -> dict[str, tuple[str, ...]]:
    return {file.name: file.warnings for file in engine.task_files(task.id) if file.warnings}


ALL = {("ash", "birch"), ("cedar", "dogwood"), ("elm", "fir")}


def test_what_the_model_finds_is_in_the_graph(reading: Open, server: ModelServer, trees: Path) -> None:
    engine = reading()
    task = engine.ingest([trees])
    assert (task.status, task.completed) == ("completed", 3)
    assert related(engine) == ALL
    entity = engine.rooms.graph.view().entities("ash")[0]
    assert (entity.name, entity.type, entity.description) == ("ash", "CONCEPT", "The ash.")
    assert engine.rooms.graph.view().entities("Yggdrasil") == []
    assert task.model_use == ModelUse(3, 0, 300, 30, None)
    assert len(server.requests) == 3
    assert warned(engine, task) == {}


def test_without_a_model_nobody_is_asked(engine: Engine, server: ModelServer, trees: Path) -> None:
    task = engine.ingest([trees])
    assert (task.model_use, server.requests) == (None, [])


def test_what_the_rules_find_stays(reading: Open, server: ModelServer, tmp_path: Path) -> None:
    server.words = ('{"entities": []}',)
    (tmp_path / "a.md").write_text("The Ledger service calls the Quill service.\n", encoding="utf-8")
    engine = reading()
    engine.ingest([tmp_path / "a.md"])
    assert related(engine) == {("Ledger", "Quill")}
    names = re.search(r"<names-(\w+)>\n(.*)\n</names-\1>", server.requests[0]["messages"][1]["content"], re.S)
    assert names
    assert set(names[2].splitlines()) == {"Ledger", "Quill"}


def test_documents_are_found_before_the_model_has_read_them(reading: Open, trees: Path) -> None:
    engine = reading()
    found: list[int] = []

    def look(progress: Progress) -> None:
        if progress.stage == "extracting" and not found:
            found.append(len(engine.search("cedar").hits))

    engine.ingest([trees], report=look)
    assert found[0] > 0


def test_progress_tells_what_it_cost(reading: Open, trees: Path) -> None:
    seen: list[Progress] = []
    reading().ingest([trees], report=seen.append)
    told = [progress for progress in seen if progress.stage == "extracting"]
    assert (told[-1].done, told[-1].total, told[-1].name) == (3, 3, "3 calls, 300 tokens in, 30 out")
    assert [each.done for each in told] == sorted(each.done for each in told)


def test_nothing_is_asked_twice(reading: Open, server: ModelServer, trees: Path) -> None:
    engine = reading()
    engine.ingest([trees])
    assert engine.ingest([trees]).model_use is None
    (trees / "0.md").rename(trees / "moved.md")
    task = engine.ingest([trees])
    assert task.model_use == ModelUse(cached=1)
    assert len(server.requests) == 3
    assert related(engine) == ALL


def test_a_changed_passage_is_read_again(reading: Open, server: ModelServer, trees: Path) -> None:
    engine = reading()
    engine.ingest([trees])
    (trees / "0.md").write_text("Where ash grows, cedar thrives.\n", encoding="utf-8")
    engine.ingest([trees])
    assert len(server.requests) == 4
    assert related(engine) == {("ash", "cedar"), ("cedar", "dogwood"), ("elm", "fir")}


def test_force_asks_again(reading: Open, server: ModelServer, trees: Path) -> None:
    engine = reading()
    engine.ingest([trees])
    task = engine.ingest([trees], force=True)
    assert (len(server.requests), task.model_use) == (6, ModelUse(3, 0, 300, 30, None))
    assert related(engine) == ALL


class Killed(BaseException):
    pass


@pytest.mark.parametrize("force", [False, True])
def test_a_run_that_is_killed_goes_on_where_it_was(
    reading: Open, server: ModelServer, trees: Path, force: bool
) -> None:
    first = reading({"concurrency": 1})
    if force:
        first.ingest([trees])
        server.requests.clear()

    def kill(progress: Progress) -> None:
        if progress.stage == "extracting" and progress.done == 2:
            raise Killed

    task = first.submit([trees], force=force)
    with pytest.raises(Killed):
        first.run(task.id, kill)
    assert len(server.requests) == 2
    first.close()
    second = reading()
    done = second.run(task.id)
    assert (done.status, len(server.requests)) == ("completed", 3)
    assert done.model_use == ModelUse(3, 0, 300, 30, None)
    assert related(second) == ALL


INGEST = """
import sys
from pathlib import Path
from knowgate import Engine
from knowgate.config.settings import Extract, Settings

extract = Extract(provider="openai", model="small", base_url=sys.argv[1], concurrency=1)
Engine(Settings(data=Path(sys.argv[2]), extract=extract)).ingest([sys.argv[3]])
"""


def test_a_process_that_is_killed_loses_nothing_it_paid_for(
    reading: Open, server: ModelServer, trees: Path, tmp_path: Path
) -> None:
    third, over = threading.Event(), threading.Event()

    def stuck(asked: dict[str, Any]) -> str:
        if len(server.requests) == 3:
            third.set()
            over.wait(60)
        return chained(asked)

    server.answer = stuck
    arguments = [sys.executable, "-c", INGEST, server.base_url, str(tmp_path / "data"), str(trees)]
    with subprocess.Popen(arguments) as process:
        try:
            assert third.wait(60)
        finally:
            process.kill()
    over.set()
    engine = reading()
    (task,) = engine.interrupted()
    assert engine.search("cedar", mode="keyword").hits
    assert engine.run(task.id).model_use == ModelUse(3, 0, 300, 30, None)
    assert len(server.requests) == 4
    assert related(engine) == ALL


def test_a_passage_that_cannot_be_read_is_told_and_tried_again(reading: Open, server: ModelServer, trees: Path) -> None:
    server.answer = lambda asked: "no" if "cedar" in names_in(asked) else chained(asked)
    engine = reading()
    task = engine.ingest([trees])
    assert (task.status, task.error) == ("completed", None)
    ((name, (warning,)),) = warned(engine, task).items()
    assert name == "1.md"
    assert warning.startswith("The model did not read 1 of 1 passages; what the rules found in them is kept.")
    assert [each.warnings for each in engine.documents().documents if each.warnings] == [(warning,)]
    assert related(engine) == ALL - {("cedar", "dogwood")}
    server.answer = chained
    server.requests.clear()
    task = engine.ingest([trees])
    assert (task.skipped, len(server.requests), warned(engine, task)) == (3, 1, {})
    assert related(engine) == ALL
    assert not [each for each in engine.documents().documents if each.warnings]


def test_an_answer_that_was_cut_short_is_told(reading: Open, server: ModelServer, trees: Path) -> None:
    server.trouble = "truncated"
    engine = reading()
    task = engine.ingest([trees])
    assert related(engine) == ALL
    assert all("cut short for 1 of 1 passages" in each for (each,) in warned(engine, task).values())
    assert engine.ingest([trees]).model_use is None


def test_a_key_that_is_refused_ends_it_and_the_documents_are_in(
    reading: Open, server: ModelServer, trees: Path
) -> None:
    server.trouble = "refused_key"
    engine = reading({"concurrency": 1})
    task = engine.ingest([trees])
    assert (task.status, task.completed, len(server.requests)) == ("completed", 3, 1)
    assert task.error is not None
    assert task.error["code"] == "model_refused_key"
    assert "of extract" in task.error["fix"]
    assert engine.search("cedar").hits
    server.trouble = ""
    engine.ingest([trees])
    assert related(engine) == ALL


def test_a_server_that_only_fails_is_not_asked_about_everything(
    reading: Open, server: ModelServer, trees: Path
) -> None:
    for n in range(20):
        (trees / f"more-{n}.md").write_text(f"Nothing of note, {n}.\n", encoding="utf-8")
    server.trouble = "broken"
    task = reading({"concurrency": 1}).ingest([trees])
    assert task.error is not None
    assert task.error["code"] == "model_failed"
    assert len(server.requests) == 5 * 4


@pytest.mark.parametrize(
    "changed",
    [
        {"extract": {"model": "large"}},
        {"extract": {"gleaning": 1}},
        {"schema": Schema(entity_types=("TREE",))},
        {"schema": Schema(entity_fields={"height": CustomField()})},
    ],
)
def test_another_extractor_reads_again_and_keeps_the_vectors(
    reading: Open, server: ModelServer, trees: Path, changed: dict[str, Any]
) -> None:
    reading().ingest([trees])
    server.requests.clear()
    embedded: list[Progress] = []
    engine = reading(**changed)
    task = engine.ingest([trees], report=lambda each: embedded.append(each) if each.stage == "embedding" else None)
    assert (task.completed, embedded) == (3, [])
    assert len(server.requests) >= 3
    assert engine.ingest([trees]).skipped == 3
    assert related(engine) == ALL


def test_without_the_model_its_findings_go(reading: Open, trees: Path) -> None:
    reading().ingest([trees])
    engine = reading({"provider": "none"})
    assert engine.ingest([trees]).completed == 3
    assert related(engine) == set()


def test_fields_that_the_schema_asks_for(reading: Open, server: ModelServer, trees: Path) -> None:
    server.words = (
        json.dumps(
            {
                "entities": [{"name": "ash", "type": "CONCEPT", "fields": {"height": "TALL", "mood": "good"}}],
                "relations": [{"source": "ash", "target": "birch", "type": "USES", "fields": {"season": "May"}}],
            }
        ),
    )
    server.answer = None
    height = CustomField(type="enum", values=("tall", "small"))
    schema = Schema(entity_fields={"height": height}, relation_fields={"season": CustomField()})
    engine = reading(schema=schema)
    engine.ingest([trees])
    view = engine.rooms.graph.view()
    assert view.entities("ash")[0].fields == {"height": "tall"}
    assert view.entities("birch")[0].fields == {}
    assert [each.fields for each in view.relations([view.resolve("ash").root])] == [{"season": "May"}]


def test_a_task_that_is_cancelled_stops_while_the_model_is_silent(
    reading: Open, server: ModelServer, trees: Path
) -> None:
    engine = reading()
    server.trouble = "silent"
    task = engine.submit([trees])

    def cancel(progress: Progress) -> None:
        if progress.stage == "extracting" and not engine.rooms.tasks.cancelled(task.id):
            engine.rooms.tasks.cancel(task.id)

    assert engine.run(task.id, cancel).status == "cancelled"


def test_two_tasks_over_the_same_documents_pay_once(reading: Open, server: ModelServer, trees: Path) -> None:
    one, two = reading(), reading()
    tasks = [one.submit([trees]), two.submit([trees, trees / "0.md"])]
    runs = [
        threading.Thread(target=engine.run, args=(task.id,)) for engine, task in zip((one, two), tasks, strict=True)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(server.requests) == 3
    assert related(one) == ALL


def test_a_document_that_changes_meanwhile_is_not_overwritten(reading: Open, server: ModelServer, trees: Path) -> None:
    engine, other = reading(), reading({"provider": "none"})
    changed = threading.Event()

    def meanwhile(asked: dict[str, Any]) -> str:
        if "ash" in names_in(asked) and not changed.is_set():
            changed.set()
            (trees / "0.md").write_text("Only moss is here.\n", encoding="utf-8")
            other.ingest([trees / "0.md"])
        return chained(asked)

    server.answer = meanwhile
    engine.ingest([trees])
    assert related(engine) == ALL - {("ash", "birch")}
    assert engine.search("moss", mode="keyword").hits


def test_settings_that_cannot_work_are_told_before_anything_is_done(reading: Open, trees: Path) -> None:
    with pytest.raises(Exception, match="needs a model"):
        reading({"model": None}).ingest([trees])

"""Two servers on one cluster, one killed in the middle of its task: the other finishes it, and does nothing twice."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.embedding_server import embeddings
from tests.store.conftest import forget, opensearch_address
from tests.store.contract import by_words, document, put

from knowgate import Engine
from knowgate.config.settings import Embedder, Settings
from knowgate.config.settings import Store as StoreSettings
from knowgate.errors import ConflictError
from knowgate.model import Document
from knowgate.store.opensearch import store as opensearch_store
from knowgate.store.opensearch.store import OpenSearchStore
from knowgate.store.port import Facts, Name, scan_all_documents

FILES = 60
PATIENCE = 120
SERVER = """
import sys, time
from pathlib import Path
from knowgate import Engine
from knowgate.config.settings import Settings
def wait(progress):
    while progress.done >= int(sys.argv[3]) and Path(sys.argv[4]).exists():
        time.sleep(0.05)
with Engine(Settings.model_validate_json(sys.argv[1])) as engine:
    engine.run(sys.argv[2], wait)
"""


def test_a_dead_servers_task_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = opensearch_address(tmp_path)
    store = StoreSettings(provider="opensearch", url=address.urls, prefix=address.prefix, replicas=address.replicas)
    (tmp_path / "docs").mkdir()
    for number in range(FILES):
        (tmp_path / "docs" / f"{number}.md").write_text(f"# Note {number}\n\nThe owl hoots.\n", encoding="utf-8")
    with embeddings() as url:
        embedder = Embedder(provider="openai", base_url=url, model="small")
        chosen = Settings(data=tmp_path / "ours", store=store, embedder=embedder)
        with Engine(chosen) as engine:
            assert isinstance(engine.store, OpenSearchStore)
            task = engine.submit([tmp_path / "docs"])
            alive = tmp_path / "alive"
            alive.touch()
            servers = [_serve(chosen, tmp_path / name, task.id, alive) for name in ("one", "two")]
            done = _wait_for_some(engine.store)
            lease = engine.store.record("lease", f"task:{task.id}")
            assert lease is not None
            at_work, other = sorted(servers, key=lambda each: f":{each.pid}:" not in lease.value["holder"])
            at_work.kill()
            at_work.wait()
            alive.unlink()
            assert other.wait(PATIENCE) == 0
            finished = engine.task(task.id)
            # One whose file was not ticked off when its document had been written needs no second reading.
            assert (finished.status, finished.completed + finished.skipped) == ("completed", FILES)
            assert finished.skipped <= 1
            engine.store.refresh()
            documents = {each.id: each for each in scan_all_documents(engine.store)}
            assert len(documents) == FILES
            # What was done before is as it was then.
            assert {id: documents[id] for id in done} == done
            # What the dead one had begun goes as if an hour had passed.
            monkeypatch.setattr(opensearch_store, "_LEFT_BEHIND_SECONDS", -60)
            engine.store.maintain()
            assert _rows(engine.store) == {"document": FILES, "chunk": FILES, "vector": FILES}
            forget(engine.store)


def _serve(chosen: Settings, data: Path, task_id: str, alive: Path) -> subprocess.Popen[bytes]:
    """It is killed somewhere on its way: before the end it waits as long as `alive` is there."""
    settings = chosen.model_copy(update={"data": data}).model_dump_json(exclude={"embedder": {"api_key"}})
    return subprocess.Popen([sys.executable, "-c", SERVER, settings, task_id, str(FILES - 10), str(alive)])


def _wait_for_some(store: OpenSearchStore) -> dict[str, Document]:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        store.refresh()
        found = {each.id: each for each in scan_all_documents(store)}
        if len(found) >= FILES // 4:
            assert len(found) < FILES
            return found
        time.sleep(0.05)
    raise AssertionError("nobody took the task up")


def _rows(store: OpenSearchStore) -> dict[str, int]:
    """What is in the index, seen or not."""
    store.refresh()
    body = {"size": 0, "aggs": {"kinds": {"terms": {"field": "kind"}}}}
    found = store._cluster.ask("POST", f"/{store._index}/_search", body)["aggregations"]["kinds"]["buckets"]
    return {bucket["key"]: bucket["doc_count"] for bucket in found if bucket["key"] != "facts"}


@pytest.mark.parametrize("names", [[Name("newer", 0, 1.0)], []], ids=["facts", "none"])
@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
def test_a_server_that_wakes_up_too_late_changes_nothing(tmp_path: Path, known: bool, names: list[Name]) -> None:
    """It had begun to write, slept until another had taken over and finished, and goes on."""
    store = OpenSearchStore(opensearch_address(tmp_path))
    if known:
        put(store, replace(document("a", "first"), facts=Facts(names=[Name("first", 0, 1.0)])))
    late = replace(document("a", "late"), facts=Facts(names=[Name("late", 0, 1.0)]))
    newer = replace(document("a", "newer"), facts=Facts(names=names))
    turns: list[str] = []

    def held() -> None:
        if turns:
            raise ConflictError("record_changed", "The lease was taken over.", "")
        turns.append("asleep")
        put(store, newer)

    with pytest.raises(ConflictError):
        store._writer.put([late], held)
    assert [chunk.text for chunk in store.document_chunks("a")] == ["newer"]
    assert store.facts("a").names == newer.facts.names
    assert by_words(store, "late newer first") == {"a:0"}
    forget(store)


def test_another_machine_does_what_was_handed_over(tmp_path: Path) -> None:
    """It has no folder in common with the one that took the contents and went away."""
    address = opensearch_address(tmp_path)
    store = StoreSettings(provider="opensearch", url=address.urls, prefix=address.prefix, replicas=address.replicas)
    with Engine(Settings(data=tmp_path / "one", store=store)) as one:
        task = one.submit_contents([("owl.md", b"# Owls\n\nThe owl hoots at night.\n")])
    with Engine(Settings(data=tmp_path / "two", store=store)) as two:
        assert [each.id for each in two.interrupted()] == [task.id]
        assert two.run(task.id).completed == 1
        assert two.search("when does the owl hoot").hits[0].document.name == "owl.md"
        assert not two.store.scan_records("upload_piece")
        forget(two.store)

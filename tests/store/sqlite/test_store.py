"""What only the embedded store promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from contract import by_vector, by_words, delete, document, embed, identity, put, vectors_of

from knowgate.errors import ConflictError, StorageError
from knowgate.store.port import Batch, Record, VectorWrite
from knowgate.store.sqlite.store import SqliteStore

OpenSqlite = Callable[[], SqliteStore]


def rows(store: SqliteStore) -> dict[str, int]:
    with store._database.read() as db:
        return {table: db.execute(f"SELECT count(*) FROM {table}").get for table in ("chunk", "words", "vector")}


def test_nothing_is_left_in_any_table(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, document("a", "one", "two"), document("b", "three"))
    embed(store)
    assert rows(store) == {"chunk": 3, "words": 3, "vector": 3}
    put(store, document("a", "one"))
    assert rows(store) == {"chunk": 2, "words": 2, "vector": 1}
    delete(store, "a", "b")
    assert rows(store) == {"chunk": 0, "words": 0, "vector": 0}


def test_a_batch_is_all_or_nothing(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, document("a", "amber"), document("b", "blue"))
    with pytest.raises(ConflictError) as caught:
        store.apply(
            Batch(
                documents=[document("a", "green"), document("c", "cyan", source="/docs/b.md")],
                delete=["b", "a"][1:],
                records=[Record("task", "1", {})],
            )
        )
    assert caught.value.code == "source_taken"
    assert store.documents(["a", "b", "c"]).keys() == {"a", "b"}
    assert by_words(store, "amber blue green cyan") == {"a:0", "b:0"}
    assert store.document_chunks("a")[0].text == "amber"
    assert store.record("task", "1") is None


def test_a_source_may_pass_to_another_document_in_one_batch(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, document("a", "amber"))
    store.apply(Batch(delete=["a"], documents=[document("b", "blue", source="/docs/a.md")]))
    assert by_words(store, "amber blue") == {"b:0"}


@pytest.mark.parametrize("shape", [(1, 7), (2, 8), (0, 8), (8,)])
def test_vectors_of_a_wrong_shape_are_refused(open_sqlite: OpenSqlite, shape: tuple[int, ...]) -> None:
    store = open_sqlite()
    put(store, document("a", "amber"), document("b", "blue"))
    space = store.start_space(identity())
    first, second = store.pending(2)
    good = VectorWrite("b", second.revision, space.generation, vectors_of(second.chunks))
    bad = VectorWrite("a", first.revision, space.generation, np.ones(shape, np.float32))
    with pytest.raises(ConflictError) as caught:
        store.apply(Batch(vectors=[good, bad]))
    assert caught.value.code == "wrong_vectors"
    store.apply(Batch(vectors=[good]))
    assert by_vector(store, "blue") == {"b:0"}


def test_a_snapshot_is_a_store_of_its_own(open_sqlite: OpenSqlite, tmp_path: Path, small_logs: None) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i}", f"apple {i}") for i in range(9)))
    embed(store)
    store.maintain()
    shares: list[float] = []
    (tmp_path / "copy").mkdir()
    store.snapshot(tmp_path / "copy" / "store.db", shares.append)
    delete(store, "d0")
    assert shares[-1] == 1
    copy = SqliteStore(tmp_path / "copy")
    assert len(by_words(copy, "apple")) == len(by_vector(copy, "apple 1")) == 9, "its segments are not there"
    put(copy, document("own", "pear"))
    copy.maintain()
    assert by_words(copy, "pear") == {"own:0"}
    assert copy.check(thorough=True) == []
    copy.close()
    assert by_words(store, "pear") == set()


def test_a_snapshot_ends_and_is_whole_while_others_write(open_sqlite: OpenSqlite, tmp_path: Path) -> None:
    store, other = open_sqlite(), open_sqlite()
    put(store, *(document(f"d{i}", "x" * 40_000) for i in range(250)))
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            put(other, document("a", "amber"), document("b", "amber"))
            delete(other, "a", "b")

    thread = threading.Thread(target=write)
    thread.start()
    shares: list[float] = []
    try:
        (tmp_path / "copy").mkdir()
        store.snapshot(tmp_path / "copy" / "store.db", shares.append)
    finally:
        stop.set()
        thread.join()
    assert len(shares) > 1
    assert shares == sorted(shares), "never started again"
    copy = SqliteStore(tmp_path / "copy")
    assert copy.check(thorough=True) == []
    assert by_words(copy, "amber") in (set(), {"a:0", "b:0"})
    copy.close()


def test_a_snapshot_that_cannot_be_written(open_sqlite: OpenSqlite, tmp_path: Path) -> None:
    store = open_sqlite()
    with pytest.raises(StorageError) as caught:
        store.snapshot(tmp_path / "missing" / "store.db")
    assert caught.value.code == "cannot_write"

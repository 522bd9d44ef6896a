"""What only the embedded store promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from contract import by_vector, by_words, delete, document, embed, identity, put, vectors_of

from knowgate.errors import ConflictError
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

"""A copy has everything, also when it was interrupted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from contract import by_vector, by_words, document, embed, put

from knowgate.errors import StorageError
from knowgate.store.copy import Copied, copy
from knowgate.store.port import Batch, Clue, Facts, Link, Mention, Name, Record, Store
from knowgate.store.sqlite.store import SqliteStore

FACTS = Facts(
    [Name("n", 0, 1.0)], [Mention("n", 1, "N", "T", 0.5)], [Link("n", "m", "USES", 0, 0.5)], [Clue("a", "b", "n")]
)


def fill(store: Store) -> None:
    put(store, *(replace(document(f"{i:02}", f"apple {i}", "pear"), facts=FACTS) for i in range(45)))
    embed(store)
    put(store, document("late", "plum"), document("empty"))
    store.apply(Batch(records=[Record("key", f"k{i}", {"n": i}) for i in range(30)] + [Record("lease", "x", {})]))


def ignore(done: int, total: int) -> None: ...


def test_there_and_back(store: Store, tmp_path: Path) -> None:
    source, back = SqliteStore(tmp_path / "source"), SqliteStore(tmp_path / "back")
    fill(source)
    assert copy(source, store, ["key"], ignore) == Copied(47, 91, 90, 30, 0)
    assert copy(store, back, ["key"], ignore) == Copied(47, 91, 90, 30, 0)
    for each in (store, back):
        assert each.stats() == source.stats()
        assert by_words(each, "apple 7") == by_words(source, "apple 7")
        assert by_vector(each, "pear") == by_vector(source, "pear")
        assert each.facts("07") == source.facts("07")
        assert [(found.id, found.value) for found in each.scan_records("key")] == [
            (found.id, found.value) for found in source.scan_records("key")
        ]
        assert each.record("lease", "x") is None
    assert copy(source, store, ["key"], ignore) == Copied(47, 91, 0, 30, 47)
    source.close()
    back.close()


def test_an_interrupted_copy_goes_on(store: Store, tmp_path: Path) -> None:
    source = SqliteStore(tmp_path / "source")
    fill(source)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy(source, store, ["key"], stop)
    assert copy(source, store, ["key"], ignore).unchanged == 20
    assert store.stats() == source.stats()
    source.close()


def test_a_difference_is_told(tmp_path: Path) -> None:
    source = SqliteStore(tmp_path / "source")
    fill(source)

    class Forgetful(SqliteStore):
        def facts(self, document_id: str) -> Facts:
            return Facts()

    target = Forgetful(tmp_path / "target")
    with pytest.raises(StorageError) as caught:
        copy(source, target, [], ignore)
    assert caught.value.code == "copy_differs"
    source.close()
    target.close()

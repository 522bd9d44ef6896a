"""A copy has everything, also when it was interrupted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from contract import by_vector, by_words, document, embed, identity, put

from knowgate.errors import ConflictError, StorageError
from knowgate.store.copy import Copied, copy
from knowgate.store.port import Batch, Clue, Facts, Link, Mention, Name, Record, Store
from knowgate.store.sqlite.store import SqliteStore

FACTS = Facts(
    [Name("n", 0, 1.0)], [Mention("n", 1, "N", "T", 0.5)], [Link("n", "m", "USES", 0, 0.5)], [Clue("a", "b", "n")]
)


KINDS = ("key", "chat")
COPIED = Copied(47, 91, 90, 45 * 4, {"key": 30, "chat": 30}, 0)


def fill(store: Store) -> None:
    put(store, *(replace(document(f"{i:02}", f"apple {i}", "pear"), facts=FACTS) for i in range(45)))
    embed(store)
    put(store, document("late", "plum"), document("empty"))
    kinds = [Record(kind, f"k{i}", {"n": i}) for kind in KINDS for i in range(30)]
    store.apply(Batch(records=[*kinds, Record("lease", "x", {})]))


def ignore(done: int, total: int) -> None: ...


def everything(store: Store) -> Any:
    store.refresh()
    return (
        store.scan_documents(),
        store.scan_chunks(),
        store.stats(),
        by_words(store, "apple 7"),
        by_vector(store, "pear"),
        [store.facts(each.id) for each in store.scan_documents()],
        [(found.kind, found.id, found.value) for kind in KINDS for found in store.scan_records(kind)],
    )


def test_there_and_back(store: Store, tmp_path: Path) -> None:
    source, back = SqliteStore(tmp_path / "source"), SqliteStore(tmp_path / "back")
    fill(source)
    assert copy(source, store, KINDS, ignore) == COPIED
    assert copy(store, back, KINDS, ignore) == COPIED
    for each in (store, back):
        assert everything(each) == everything(source)
        assert each.record("lease", "x") is None
    assert copy(source, store, KINDS, ignore) == replace(COPIED, unchanged=47)
    source.close()
    back.close()


def test_stopped_again_and_again_it_arrives_all_the_same(store: Store, tmp_path: Path) -> None:
    source, back = SqliteStore(tmp_path / "source"), SqliteStore(tmp_path / "back")
    fill(source)
    for one, other in ((source, store), (store, back)):
        before, stops = -1, 0
        while (report := _stumbling(one, other)) is None:
            stops += 1
            done = other.stats().documents + sum(len(other.scan_records(kind)) for kind in KINDS)
            assert done > before  # it does not begin anew
            before = done
        assert stops > 3
        assert replace(report, unchanged=0) == COPIED
        assert everything(other) == everything(source)
    source.close()
    back.close()


def _stumbling(source: Store, target: Store) -> Copied | None:
    """A copy that is stopped in the middle of its third write, if there is one."""
    turns = 0

    def apply(batch: Batch) -> None:
        nonlocal turns
        turns += bool(batch.documents or batch.vectors or batch.records)
        if turns == 3:
            part = replace(batch, documents=batch.documents[:3], vectors=batch.vectors[:3], records=batch.records[:3])
            written(part)
            target.refresh()
            raise KeyboardInterrupt
        written(batch)

    written = target.apply
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(target, "apply", apply)
        try:
            return copy(source, target, KINDS, ignore)
        except KeyboardInterrupt:
            return None


def test_facts_that_changed_since_are_copied_again(store: Store, tmp_path: Path) -> None:
    source = SqliteStore(tmp_path / "source")
    put(source, document("a", "one"), document("b", "two"))
    copy(source, store, [], ignore)
    put(source, replace(document("a", "one"), facts=Facts(names=[Name("n", 0, 1.0)])))
    assert copy(source, store, [], ignore).unchanged == 1
    assert store.facts("a") == source.facts("a")
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


def test_vectors_of_another_model_are_not_thrown_away(store: Store, tmp_path: Path) -> None:
    source = SqliteStore(tmp_path / "source")
    for each, dimension in ((source, 8), (store, 4)):
        put(each, document("a", "owl"))
        each.start_space(identity(dimension))
        embed(each)
    with pytest.raises(ConflictError) as refused:
        copy(source, store, (), lambda *_: None)
    assert refused.value.code == "other_embedder"
    assert store.stats().vectors == 1
    source.close()

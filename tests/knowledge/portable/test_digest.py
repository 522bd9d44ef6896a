"""Two indexes have the same digest exactly when they hold the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from knowgate.knowledge.portable import content_digest
from knowgate.store.port import Batch, DocumentWrite, Facts, Mention
from knowgate.store.sqlite.store import SqliteStore


def test_order_and_time_of_indexing_do_not_count(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite]
) -> None:
    one, two = new_store(), new_store()
    one.apply(Batch(documents=[written("a", "x", "y"), written("b", "z")]))
    two.apply(Batch(documents=[written("b", "z", indexed_at=5.0)]))
    two.apply(Batch(documents=[written("a", "former")]))
    two.apply(Batch(documents=[written("a", "x", "y", indexed_at=7.0)]))
    assert content_digest(one) == content_digest(two)


def test_an_empty_index_has_a_digest(new_store: Callable[..., SqliteStore]) -> None:
    assert len(content_digest(new_store())) == 64


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "other"},
        {"fields": {"pages": 4}},
        {"fields": {}},
        {"modified_at": 2.0},
        {"warnings": ()},
        {"owner": ""},
    ],
)
def test_a_changed_document_counts(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite], changes: dict[str, object]
) -> None:
    store = new_store()
    store.apply(Batch(documents=[written("a", "x")]))
    before = content_digest(store)
    store.apply(Batch(documents=[written("a", "x", **changes)]))
    assert content_digest(store) != before


@pytest.mark.parametrize("changes", [{"text": "y"}, {"headings": ()}, {"page": None}, {"end": 9}, {"tokens": 8}])
def test_a_changed_passage_counts(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite], changes: dict[str, object]
) -> None:
    store = new_store()
    write = written("a", "x")
    store.apply(Batch(documents=[write]))
    before = content_digest(store)
    store.apply(Batch(documents=[DocumentWrite(write.document, [replace(write.chunks[0], **changes)])]))
    assert content_digest(store) != before


def test_other_facts_count(new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite]) -> None:
    store = new_store()
    write = written("a", "x")
    store.apply(Batch(documents=[write]))
    before = content_digest(store)
    store.apply(Batch(documents=[replace(write, facts=Facts(mentions=[Mention("x", 0, "X", "SERVICE", 1.0)]))]))
    assert content_digest(store) != before


def test_missing_vectors_and_documents_count(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite], embed: Callable[..., None]
) -> None:
    store = new_store()
    store.apply(Batch(documents=[written("a", "x"), written("b", "y")]))
    seen = {content_digest(store)}
    embed(store, leave=("b",))
    seen.add(content_digest(store))
    embed(store)
    seen.add(content_digest(store))
    store.apply(Batch(delete=["b"]))
    seen.add(content_digest(store))
    assert len(seen) == 4

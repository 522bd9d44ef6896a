"""What a crash, a refusal or a loss leaves behind does no harm, and is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.store.conftest import forget, opensearch_address
from tests.store.contract import by_vector, by_words, document, embed, identity, put

from knowgate.errors import DocumentError, StorageError
from knowgate.store.copy import copy
from knowgate.store.opensearch import store as opensearch_store
from knowgate.store.opensearch.connection import Cluster
from knowgate.store.opensearch.rows import row_id
from knowgate.store.opensearch.store import OpenSearchStore
from knowgate.store.port import Batch, Facts, Mention
from knowgate.store.sqlite.store import SqliteStore

OWLS = Facts(mentions=[Mention("owl", 0, "Owl", "BIRD", 0.9)])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OpenSearchStore]:
    store = OpenSearchStore(opensearch_address(tmp_path))
    yield store
    forget(store)


def die(*_: object) -> None:
    raise KeyboardInterrupt


def begun(store: OpenSearchStore) -> None:
    """Killed when facts were written, and nothing named the document yet."""
    with pytest.MonkeyPatch.context() as killing, pytest.raises(KeyboardInterrupt):
        killing.setattr(store._writer, "_flip", die)
        put(store, replace(document("a", "an owl"), facts=OWLS))
    store.refresh()
    assert store.scan_entities() == ["owl"]


def test_facts_without_a_document_go_when_it_is_deleted(store: OpenSearchStore) -> None:
    begun(store)
    store.apply(Batch(delete=["a"]))
    store.refresh()
    assert store.scan_entities() == []


def test_facts_without_a_document_are_tidied_up(store: OpenSearchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(store)
    monkeypatch.setattr(opensearch_store, "_LEFT_BEHIND_SECONDS", -60)
    store.maintain()
    store.refresh()
    assert store.scan_entities() == []


def test_who_was_tidied_up_after_begins_again(store: OpenSearchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that slept for an hour, or whose clock is behind: its rows went before the document named them."""
    monkeypatch.setattr(opensearch_store, "_LEFT_BEHIND_SECONDS", -60)
    turns: list[int] = []

    def held() -> None:
        turns.append(1)
        if len(turns) == 1:
            store.refresh()
            store.maintain()

    store._writer.put([document("a", "an owl")], held)
    assert [chunk.text for chunk in store.document_chunks("a")] == ["an owl"]
    assert len(turns) == 2


def test_what_the_cluster_never_takes_is_not_there_in_part(store: OpenSearchStore) -> None:
    store._cluster.ask("PUT", f"/{store._index}/_settings", {"index.mapping.nested_objects.limit": 5})
    many = Facts(mentions=[Mention(f"e{n}", 0, f"E{n}", "BIRD", 0.9) for n in range(30)])
    with pytest.raises(DocumentError) as refused:
        put(store, replace(document("a", "an owl"), facts=many))
    assert refused.value.code == "store_refused"
    assert not store.documents(["a"])


def lose(store: OpenSearchStore, kind: str, ordinal: int) -> None:
    generation = store._writer.states(["a"])["a"].row["generation"]
    rest = (generation, 1, ordinal) if kind == "v" else (generation, ordinal)
    path = f"/{store._index}/_doc/{row_id(kind, 'a', *rest).replace('|', '%7C')}"
    assert store._cluster.ask("DELETE", path, None, {"routing": "a", "refresh": "true"})["result"] == "deleted"


def test_one_lost_passage_hides_no_other(store: OpenSearchStore) -> None:
    put(store, document("a", "owl", "hawk"), document("b", "crow"))
    lose(store, "c", 0)
    assert set(store.chunks(["a:0", "a:1", "b:0", "b:1"])) == {"a:1", "b:0"}
    assert [chunk.id for chunk in store.document_chunks("a")] == ["a:1"]
    assert [each.what for each in store.check(thorough=True)] == ["1 passages are missing."]


@pytest.mark.parametrize("kind", ["c", "v"])
def test_a_copy_replaces_what_was_lost(store: OpenSearchStore, tmp_path: Path, kind: str) -> None:
    source = SqliteStore(tmp_path / "source")
    put(source, document("a", "owl", "hawk"), document("b", "crow"))
    embed(source)
    assert copy(source, store, (), lambda *_: None).unchanged == 0
    lose(store, kind, 0)
    again = copy(source, store, (), lambda *_: None)
    assert (again.unchanged, again.vectors) == (1, 3)
    assert by_words(store, "owl") == {"a:0"}
    assert by_vector(store, "owl") == {"a:0", "a:1", "b:0"}
    source.close()


def test_two_servers_begin_one_space(store: OpenSearchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    other = OpenSearchStore(store._cluster.address)
    first: list[Any] = []
    add = opensearch_store.add_space

    def late(*given: Any) -> None:
        monkeypatch.setattr(opensearch_store, "add_space", add)
        first.append(other.start_space(identity()))
        add(*given)

    monkeypatch.setattr(opensearch_store, "add_space", late)
    assert store.start_space(identity()) == first[0]
    assert store.start_space(identity()).generation == 2
    other.close()


def test_an_index_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    address = opensearch_address(tmp_path)
    cluster = Cluster(address)
    theirs = f"{address.prefix}-knowledge"
    cluster.ask("PUT", f"/{theirs}", {"mappings": {"properties": {"title": {"type": "text"}}}})
    cluster.ask("POST", f"/{theirs}/_doc", {"title": "Invoice"}, {"refresh": "true"})
    with pytest.raises(StorageError) as refused:
        OpenSearchStore(address)
    assert refused.value.code == "not_our_index"
    assert cluster.ask("GET", f"/{theirs}/_count")["count"] == 1
    cluster.ask("POST", f"/{theirs}/_doc", {"title": "Another"})
    cluster.ask("DELETE", f"/{address.prefix}-*")
    cluster.close()


@pytest.mark.parametrize("lost", ["knowledge", "records"])
def test_one_index_without_the_other_is_a_loss(tmp_path: Path, lost: str) -> None:
    address = opensearch_address(tmp_path)
    store = OpenSearchStore(address)
    put(store, document("a", "owl"))
    cluster = store._cluster
    cluster.ask("DELETE", f"/{address.prefix}-{lost}-v1")
    with pytest.raises(StorageError, match=f"{lost} is gone") as refused:
        OpenSearchStore(address)
    assert refused.value.code == "store_missing"
    cluster.ask("DELETE", f"/{address.prefix}-*")
    OpenSearchStore(address).close()  # to begin anew
    forget(store)

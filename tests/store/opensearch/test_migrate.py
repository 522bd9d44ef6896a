"""An index of an older Knowgate becomes one of this, whatever happens meanwhile; one of a newer is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.store.conftest import opensearch_address
from tests.store.contract import by_vector, by_words, document, embed, put

from knowgate.errors import StorageError, UnavailableError
from knowgate.store.opensearch import migrate
from knowgate.store.opensearch.connection import Cluster
from knowgate.store.opensearch.indexes import prepare
from knowgate.store.opensearch.schema import SCHEMA
from knowgate.store.opensearch.store import OpenSearchStore
from knowgate.store.port import Batch, Facts, Mention, Record, Store, scan_all_documents

FACTS = Facts(mentions=[Mention("pear", 0, "Pear", "FRUIT", 0.9, "green")])
NEXT = SCHEMA + 1


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OpenSearchStore]:
    address = replace(opensearch_address(tmp_path), shards=2)
    store = OpenSearchStore(address)
    put(store, *(replace(document(f"{n:02}", f"apple {n}", "pear", owner="ann"), facts=FACTS) for n in range(30)))
    embed(store)
    put(store, document("late", "plum", owner="ann"))
    store.apply(Batch(records=[Record("key", str(n), {"n": n}) for n in range(30)]))
    yield store
    store._cluster.ask("DELETE", f"/{address.prefix}-*", missing_ok=True)
    store.close()


def renamed(row: dict[str, Any]) -> dict[str, Any]:
    """What a new format might want: every owner in another way."""
    return row | {"owner": row["owner"].upper()} if "owner" in row else row


def everything(store: Store) -> Any:
    store.refresh()
    return (
        [store.document_chunks(each.id) for each in scan_all_documents(store)],
        by_words(store, "apple 7 pear"),
        by_vector(store, "pear"),
        store.stats(),
        store.facts("07"),
        [(each.id, each.value) for each in store.scan_records("key")],
    )


def indexes(store: OpenSearchStore) -> set[str]:
    """And the names that stand for them."""
    prefix = f"{store._cluster.address.prefix}-"
    found = store._cluster.ask("GET", f"/{prefix}*/_alias")
    return {name.removeprefix(prefix) for index, each in found.items() for name in (index, *each["aliases"])}


NEW = {"knowledge", f"knowledge-v{NEXT}", "records", f"records-v{NEXT}"}


def test_an_older_index_is_moved(store: OpenSearchStore) -> None:
    before = everything(store)
    version = store.record("key", "3")
    prepare(store._cluster, NEXT, {SCHEMA: renamed})
    assert everything(store) == before
    assert indexes(store) == NEW
    rows = store._cluster.ask("POST", f"/{store._index}/_search", {"size": 200})["hits"]["hits"]
    assert {hit["_source"]["owner"] for hit in rows if "owner" in hit["_source"]} == {"ANN"}
    # Writing goes on, and whoever held a record of the old index has to read it again.
    put(store, document("new", "apple 7"))
    assert "new:0" in by_words(store, "apple")
    assert version is not None
    assert store.record("key", "3") is not None


def test_what_was_written_last_is_moved_too(store: OpenSearchStore) -> None:
    """A cluster shows a row to searches only at its next refresh, which may come after the move."""
    for alias in (store._index, f"{store._cluster.address.prefix}-records"):
        store._cluster.ask("PUT", f"/{alias}/_settings", {"index.refresh_interval": "-1"})
    put(store, document("last", "quince", owner="ann"))
    store.apply(Batch(records=[Record("key", "last", {"n": 30})]))
    prepare(store._cluster, NEXT)
    assert by_words(store, "quince") == {"last:0"}
    assert len(store.scan_records("key")) == 31


def test_a_copy_of_a_shard_that_does_not_show_everything_stops_the_move(
    store: OpenSearchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Cluster.ask

    def half(cluster: Cluster, method: str, path: str, *rest: Any, **more: Any) -> Any:
        if path.endswith("_refresh"):
            reason = {"type": "node_disconnected", "reason": "gone"}
            return {"_shards": {"failed": 1, "failures": [{"reason": reason}]}}
        return ask(cluster, method, path, *rest, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Cluster, "ask", half)
        with pytest.raises(UnavailableError):
            prepare(store._cluster, NEXT)
    before = everything(store)
    prepare(store._cluster, NEXT)
    assert everything(store) == before
    assert indexes(store) == NEW


def test_a_move_that_was_interrupted_goes_on(store: OpenSearchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(store)
    monkeypatch.setattr(migrate, "_PAGE", 7)
    monkeypatch.setattr(migrate, "_NOTED", 2)
    copied: list[str] = []

    def stumble(row: dict[str, Any]) -> dict[str, Any]:
        copied.append(row["kind"])
        if len(copied) == 50:
            raise KeyboardInterrupt
        return row

    with pytest.raises(KeyboardInterrupt):
        prepare(store._cluster, NEXT, {SCHEMA: stumble})
    assert everything(store) == before  # read from the old one
    with pytest.raises(StorageError) as caught:
        put(store, document("new", "apple"))
    assert caught.value.code == "store_read_only"
    prepare(store._cluster, NEXT, {SCHEMA: stumble})
    assert everything(store) == before
    assert indexes(store) == NEW
    total = store._cluster.ask("GET", f"/{store._index}/_count")["count"]
    assert total < len(copied) < total + 50  # not from the beginning


def test_servers_that_start_at_once_move_it_together(store: OpenSearchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(store)
    monkeypatch.setattr(migrate, "_PAGE", 7)
    monkeypatch.setattr(migrate, "_NOTED", 2)
    clusters = [Cluster(store._cluster.address) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda cluster: prepare(cluster, NEXT, {SCHEMA: renamed}), clusters))
    for cluster in clusters:
        cluster.close()
    assert everything(store) == before
    assert indexes(store) == NEW


def test_an_index_of_a_newer_knowgate_is_left_alone(store: OpenSearchStore) -> None:
    prepare(store._cluster, NEXT)
    with pytest.raises(StorageError) as caught:
        OpenSearchStore(store._cluster.address)
    assert caught.value.code == "newer_data"
    assert indexes(store) == NEW


def test_an_index_that_was_deleted_does_not_come_back_without_its_shape(store: OpenSearchStore) -> None:
    store._cluster.ask("DELETE", f"/{store._cluster.address.prefix}-*")
    with pytest.raises(StorageError) as caught:
        put(store, document("new", "apple"))
    assert caught.value.code == "store_missing"
    assert store._cluster.ask("GET", f"/{store._cluster.address.prefix}-*/_alias") == {}

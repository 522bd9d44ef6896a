"""A cluster gives so much at a time; whoever asks for more gets it all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.conftest import forget, opensearch_address
from tests.store.contract import document, put

from knowgate.model import Filter
from knowgate.store.opensearch import graph, records, searching
from knowgate.store.opensearch.store import OpenSearchStore
from knowgate.store.port import Batch, Facts, Link, Mention, Record, scan_all_documents, scan_all_records
from knowgate.store.sqlite.store import SqliteStore

NAMES = [f"n{number:02}" for number in range(23)]


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[OpenSearchStore, SqliteStore]]:
    """The same in both, and a cluster whose bounds are narrow."""
    cluster = OpenSearchStore(replace(opensearch_address(tmp_path), shards=2))
    folder = SqliteStore(tmp_path / "data")
    for number, name in enumerate(NAMES):
        confidence = 0.5 + (number % 4) / 10
        mentions = [Mention(name, 0, name.upper(), "THING", confidence, f"near n{number // 2:02}")]
        mentions += [Mention("all", 0, "All", "WHOLE", 0.9)] if number % 3 else []
        facts = Facts(mentions=mentions, links=[Link(name, "all", "IS", 0, 0.5)])
        made = replace(document(name, f"{name} text", "more"), facts=facts)
        for store in (cluster, folder):
            put(store, made)
    for module, bound, value in (
        (graph, "_MOST_ENTITIES", 5),
        (graph, "_PAGE", 4),
        (searching, "_PAGE", 4),
        (records, "WINDOW", 4),
    ):
        monkeypatch.setattr(module, bound, value)
    yield cluster, folder
    forget(cluster)
    folder.close()


def test_entities_beyond_what_a_cluster_puts_in_order(stores: tuple[OpenSearchStore, SqliteStore]) -> None:
    cluster, folder = stores
    assert len(folder.scan_entities()) == 24
    for text in ("", "n1", "N0"):
        for where in (Filter(), Filter(names=("n0*",))):
            whole = folder.scan_entities(where, text)
            assert cluster.scan_entities(where, text) == whole
            assert [key for at in range(0, 30, 7) for key in cluster.scan_entities(where, text, "", at, 7)] == whole
            assert cluster.scan_entities(where, text, limit=1 << 40) == whole


def test_the_graph_beyond_a_page(stores: tuple[OpenSearchStore, SqliteStore]) -> None:
    cluster, folder = stores
    assert cluster.count_graph() == folder.count_graph()
    assert sorted(map(repr, cluster.neighbours(["all"], "in"))) == sorted(map(repr, folder.neighbours(["all"], "in")))
    assert cluster.spellings(NAMES) == folder.spellings(NAMES)
    assert cluster.spread([[name] for name in NAMES]) == folder.spread([[name] for name in NAMES])
    assert cluster.mentions_in([f"{name}:0" for name in NAMES]).keys() == {f"{name}:0" for name in NAMES}


def test_scans_beyond_a_page(stores: tuple[OpenSearchStore, SqliteStore]) -> None:
    cluster, folder = stores
    assert cluster.scan_documents() == folder.scan_documents()
    assert list(scan_all_documents(cluster, page=3)) == folder.scan_documents()
    assert cluster.scan_chunks(offset=9, limit=30) == folder.scan_chunks(offset=9, limit=30)
    cluster.apply(Batch(records=[Record("key", name, {}) for name in NAMES]))
    assert [each.id for each in scan_all_records(cluster, "key")] == NAMES

"""What is wrong with a cluster is told, each with its fix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.conftest import opensearch_address
from tests.store.opensearch.proxy import guarded

from knowgate import Engine
from knowgate.cli.checks import Check, cluster
from knowgate.config.settings import Settings
from knowgate.config.settings import Store as StoreSettings
from knowgate.store.opensearch.health import _health, disk_finding
from knowgate.store.opensearch.store import OpenSearchStore


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[str]:
    address = opensearch_address(tmp_path)
    yield address.urls[0]
    # The doctor leaves nothing behind, and makes nothing.
    store = OpenSearchStore(address)
    assert list(store._cluster.ask("GET", f"/{address.prefix}-*")) == [
        f"{address.prefix}-knowledge-v1",
        f"{address.prefix}-records-v1",
    ]
    store._cluster.ask("DELETE", f"/{address.prefix}-*")
    store.close()


def seen(behind: str, tmp_path: Path, **how: Any) -> list[Check]:
    """What the doctor says of a cluster to which this is the way."""
    with guarded(behind, **how) as url:
        store = StoreSettings(provider="opensearch", url=(url,), prefix=opensearch_address(tmp_path).prefix)
        with Engine(Settings(data=tmp_path / "data", store=store)) as engine:
            return list(cluster(engine))


def wrong(checks: list[Check]) -> dict[str, str]:
    assert all(check.fix for check in checks if check.status != "ok")
    return {check.name: check.fix for check in checks if check.status == "wrong"}


def test_a_cluster_that_is_well(behind: str, tmp_path: Path) -> None:
    checks = seen(behind, tmp_path)
    assert wrong(checks) == {}
    names = [check.name for check in checks]
    assert names[:4] == ["address of the cluster", "OpenSearch", "k-NN plugin", "cluster"]
    assert any(name.startswith("disk of ") for name in names)
    assert names[-1] == "rights on the cluster"


@pytest.mark.parametrize(
    ("path", "told", "name", "fix"),
    [
        ("/", {"version": {"number": "2.3.0", "distribution": "opensearch"}}, "OpenSearch", "Upgrade"),
        ("/", {"version": {"number": "8.1.0"}}, "OpenSearch", "store.url"),
        ("/_cat/plugins", [{"name": "n", "component": "opensearch-security"}], "k-NN plugin", "opensearch-knn"),
        ("/_cluster/health", {"status": "red", "number_of_nodes": 2}, "cluster", "allocation/explain"),
        (
            "/_cat/allocation",
            [{"node": "n", "disk.percent": "97", "disk.total": "100", "disk.avail": "3"}],
            "disk of n",
            "add a node",
        ),
    ],
)
def test_a_cluster_that_is_not_fit(behind: str, tmp_path: Path, path: str, told: object, name: str, fix: str) -> None:
    found = wrong(seen(behind, tmp_path, instead={path: orjson.dumps(told)}))
    assert list(found) == [name]
    assert fix in found[name]


@pytest.mark.parametrize(
    ("forbidden", "names"),
    [
        ({"PUT /"}, {"right to make indexes"}),
        ({"POST /_bulk"}, {"right to write"}),
        ({"POST /test-"}, {"right to read", "right to search", "right to look after indexes"}),
        ({"GET /_cluster/health"}, {"cluster"}),
    ],
)
def test_rights_that_are_missing(behind: str, tmp_path: Path, forbidden: set[str], names: set[str]) -> None:
    found = wrong(seen(behind, tmp_path, forbidden=forbidden))
    assert found.keys() >= names
    assert all("Give the user" in fix for fix in found.values())


def test_copies_without_a_place() -> None:
    found = _health({"status": "yellow", "number_of_nodes": 1}, "kb")
    assert (found.status, found.found) == ("warning", "yellow, 1 node")
    assert 'PUT /kb-*/_settings {"index.number_of_replicas": 0}' in found.fix
    assert _health({"status": "green", "number_of_nodes": 3}, "kb").found == "green, 3 nodes"


@given(percent=st.integers(0, 100), mark=st.integers(1, 100))
def test_watermarks_mean_the_same_in_every_form(percent: int, mark: int) -> None:
    total = 100 << 30
    disk = {
        "node": "n",
        "disk.percent": str(percent),
        "disk.total": str(total),
        "disk.avail": str((100 - percent) << 30),
    }
    low = "cluster.routing.allocation.disk.watermark.low"
    flood = "cluster.routing.allocation.disk.watermark.flood_stage"
    for said in (f"{mark}%", f"{100 - mark}gb", f"{mark / 100:.2f}"):
        assert disk_finding(disk, {low: said, flood: "101%"}).status == ("warning" if percent >= mark else "ok")
        assert (disk_finding(disk, {flood: said}).status == "wrong") == (percent >= mark)

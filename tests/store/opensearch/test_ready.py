"""A cluster that is red, full, slow or gone while a server runs: it says so, stays up, and goes on afterwards."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.embedding_server import embeddings
from tests.serving import listening

from knowgate import Engine
from knowgate.config.settings import Embedder, Server, Settings
from knowgate.config.settings import Store as StoreSettings
from knowgate.store.opensearch import connection, records
from knowgate.store.opensearch.connection import Address, Cluster

FILES = 40
PATIENCE = 120


@pytest.fixture(scope="module")
def engine(lone_node: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("ready")
    store = StoreSettings(provider="opensearch", url=(lone_node.url,), replicas=0, timeout_seconds=15)
    with embeddings() as url:
        embedder = Embedder(provider="openai", base_url=url, model="small", api_key="none")
        chosen = Settings(data=folder / "data", store=store, embedder=embedder, server=Server(rate="off"))
        with Engine(chosen) as engine:
            engine.ingest(text="The courier collects every parcel at noon.", filename="parcels.md")
            yield engine


@pytest.fixture(scope="module")
def http(engine: Engine) -> Iterator[httpx2.Client]:
    with listening(engine, workers=True) as url, httpx2.Client(base_url=url, timeout=60) as client:
        yield client


@pytest.fixture
def cluster(lone_node: Any) -> Iterator[Cluster]:
    cluster = Cluster(Address((lone_node.url,)))
    yield cluster
    cluster.close()


def status(http: httpx2.Client) -> tuple[int, str]:
    assert http.get("/health").status_code == 200
    answer = http.get("/ready")
    return answer.status_code, answer.json()["status"]


def becomes(http: httpx2.Client, wanted: tuple[int, str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while (found := status(http)) != wanted:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)


def finds_the_parcel(http: httpx2.Client) -> bool:
    found = http.get("/api/v1/search", params={"query": "courier"})
    return found.status_code == 200 and "parcels.md" in found.text


def test_full(http: httpx2.Client, cluster: Cluster) -> None:
    becomes(http, (200, "ready"))
    cluster.ask("PUT", "/knowgate-*/_settings", {"index.blocks.read_only_allow_delete": True})
    try:
        becomes(http, (503, "store_read_only"))
        assert finds_the_parcel(http)
        refused = http.post("/api/v1/documents/ingest", json={"text": "new", "filename": "new.md"})
        assert (refused.status_code, refused.json()["code"]) == (500, "store_read_only")
    finally:
        cluster.ask("PUT", "/knowgate-*/_settings", {"index.blocks.read_only_allow_delete": False})
    becomes(http, (200, "ready"))


def test_red(http: httpx2.Client, cluster: Cluster) -> None:
    index = next(iter(cluster.ask("GET", "/knowgate-knowledge/_alias")))
    for place in ("nowhere", None):
        cluster.ask("POST", f"/{index}/_close")
        cluster.ask("PUT", f"/{index}/_settings", {"index.routing.allocation.require._name": place})
        cluster.ask("POST", f"/{index}/_open", None, {"wait_for_active_shards": 0})
        becomes(http, (503, "store_red") if place else (200, "ready"))
    assert finds_the_parcel(http)


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be made to pause on Windows")
def test_slow(http: httpx2.Client, lone_node: Any) -> None:
    lone_node.process.send_signal(signal.SIGSTOP)
    try:
        assert status(http) == (503, "store_slow")
        refused = http.get("/api/v1/search", params={"query": "courier"})
        assert (refused.status_code, refused.json()["code"]) == (503, "store_slow")
    finally:
        lone_node.process.send_signal(signal.SIGCONT)
    becomes(http, (200, "ready"))
    assert finds_the_parcel(http)


def test_gone_in_the_middle_of_a_task(
    http: httpx2.Client, engine: Engine, lone_node: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(FILES):
        (tmp_path / f"{number}.md").write_text(f"Note {number}: the owl hoots.\n", encoding="utf-8")
    task = engine.submit([tmp_path])
    deadline = time.monotonic() + PATIENCE
    while not engine.task(task.id).completed:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # Else what is being written might wait until it is back, and the task would never know.
    for module in (connection, records):
        monkeypatch.setattr(module, "WRITE_PAUSES", (0.1,))
    lone_node.kill()
    becomes(http, (503, "store_unreachable"))
    refused = http.get("/api/v1/search", params={"query": "courier"})
    assert (refused.status_code, refused.json()["code"]) == (503, "store_unreachable")
    lone_node.start()
    lone_node.ready()
    becomes(http, (200, "ready"))
    deadline = time.monotonic() + PATIENCE
    while not (found := engine.task(task.id)).finished:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    # One whose file was not ticked off when its document had been written needs no second reading.
    assert (found.status, found.completed + found.skipped, found.failed) == ("completed", FILES, 0)
    assert finds_the_parcel(http)
    assert engine.stats().documents == FILES + 1
    assert engine.store.check(thorough=True) == []

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowgate.store.opensearch.connection import Address
from knowgate.store.opensearch.store import OpenSearchStore
from knowgate.store.port import Store
from knowgate.store.sqlite.store import SqliteStore

# So that the tests below can say `from contract import …`.
sys.path.insert(0, str(Path(__file__).parent))

OpenStore = Callable[[], Store]


def opensearch_address(folder: Path) -> Address:
    """Where a test finds indexes of its own."""
    urls = os.environ.get("OPENSEARCH_FOR_TESTS")
    if not urls:
        pytest.skip("no OpenSearch: `make test-opensearch` brings one up")
    prefix = f"test-{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"
    return Address(tuple(urls.split(",")), prefix=prefix, replicas=min(1, urls.count(",")))


OPENERS: dict[str, Callable[[Path], Store]] = {
    "sqlite": SqliteStore,
    "opensearch": lambda folder: OpenSearchStore(opensearch_address(folder)),
}


def forget(store: Store) -> None:
    """Leave nothing of a test in the cluster."""
    if isinstance(store, OpenSearchStore):
        again = OpenSearchStore(store._cluster.address)
        again._cluster.ask("DELETE", f"/{store._cluster.address.prefix}-*")
        again.close()
    store.close()


@pytest.fixture(params=sorted(OPENERS))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the same, at first empty, store as often as it is called."""
    opened: list[Store] = []

    def open_one_more() -> Store:
        opened.append(OPENERS[request.param](tmp_path / "data"))
        return opened[-1]

    yield open_one_more
    for store in opened[1:]:
        store.close()
    for store in opened[:1]:
        forget(store)


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


@pytest.fixture(scope="module", params=sorted(OPENERS))
def lasting_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """For tests that draw many examples and change nothing."""
    store = OPENERS[request.param](tmp_path_factory.mktemp("lasting") / "data")
    yield store
    forget(store)

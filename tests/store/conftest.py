from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowgate.store.port import Store
from knowgate.store.sqlite.store import SqliteStore

# So that the tests below can say `from contract import …`.
sys.path.insert(0, str(Path(__file__).parent))

OpenStore = Callable[[], Store]
OPENERS: dict[str, Callable[[Path], Store]] = {"sqlite": SqliteStore}


@pytest.fixture(params=sorted(OPENERS))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the same, at first empty, store as often as it is called."""
    opened: list[Store] = []

    def open_one_more() -> Store:
        opened.append(OPENERS[request.param](tmp_path / "data"))
        return opened[-1]

    yield open_one_more
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


@pytest.fixture(scope="module", params=sorted(OPENERS))
def lasting_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """For tests that draw many examples and change nothing."""
    store = OPENERS[request.param](tmp_path_factory.mktemp("lasting") / "data")
    yield store
    store.close()

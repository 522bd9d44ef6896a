from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowgate.store.sqlite.store import SqliteStore

# So that the tests below can say `from graphs import …`.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def new_store(tmp_path: Path) -> Iterator[Callable[[], SqliteStore]]:
    """Opens one empty store after the other."""
    opened: list[SqliteStore] = []

    def open_one() -> SqliteStore:
        opened.append(SqliteStore(tmp_path / f"store{len(opened)}"))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from knowgate.store.sqlite import log, retrieve
from knowgate.store.sqlite import store as store_module
from knowgate.store.sqlite.store import SqliteStore

OpenSqlite = Callable[[], SqliteStore]


@pytest.fixture
def small_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds so small that a handful of passages makes segments and merges."""
    monkeypatch.setattr(store_module, "WORD_CODEC", replace(retrieve.WORD_CODEC, tail_rows=4))
    monkeypatch.setattr(store_module, "VECTOR_CODEC", replace(retrieve.VECTOR_CODEC, tail_rows=4))
    monkeypatch.setattr(log, "LARGEST_SEGMENT", 40)
    monkeypatch.setattr(log, "_TAIL_PARTS", 2)


@pytest.fixture
def open_sqlite(tmp_path: Path) -> Iterator[OpenSqlite]:
    """Opens the same folder as often as it is called."""
    opened: list[SqliteStore] = []

    def open_one_more() -> SqliteStore:
        opened.append(SqliteStore(tmp_path / "data"))
        return opened[-1]

    yield open_one_more
    for store in opened:
        store.close()

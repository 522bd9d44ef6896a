"""What is deleted gives its space on the disk back."""

from __future__ import annotations

from pathlib import Path

from knowgate.store.port import Batch, Record
from knowgate.store.sqlite.store import SqliteStore

MEGABYTE = 1 << 20


def test_the_file_shrinks_when_much_has_gone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    for number in range(60):
        store.apply(Batch(records=[Record("upload_piece", f"{number}", {"data": "x" * MEGABYTE})]))
    store.apply(Batch(records=[Record("key", "kept", {"a": 1})], drop=[("upload_piece", f"{n}") for n in range(60)]))
    for _ in range(3):
        store.maintain()
    store.close()
    assert (tmp_path / "store.db").stat().st_size < 10 * MEGABYTE
    again = SqliteStore(tmp_path)
    kept = again.record("key", "kept")
    assert kept is not None
    assert kept.value == {"a": 1}
    again.close()

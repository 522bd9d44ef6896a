"""Contents that were handed over wait in the store, in pieces, and go when their task is done."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.errors import DocumentError, LimitError
from knowgate.knowledge import inbox
from knowgate.knowledge.inbox import Inbox, read_upload
from knowgate.knowledge.tasks import Request, Tasks
from knowgate.store.port import Store
from knowgate.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


@pytest.fixture
def box(store: Store, monkeypatch: pytest.MonkeyPatch) -> Inbox:
    monkeypatch.setattr(inbox, "_PIECE", 3)
    return Inbox(store, Tasks(store), max_bytes=10)


@pytest.mark.parametrize("content", [b"", b"abc", b"abcd", b"0123456789"])
def test_what_was_kept_is_read_and_goes_without_a_trace(box: Inbox, store: Store, content: bytes) -> None:
    for given in (content, io.BytesIO(content)):
        kept = box.keep(given)
        assert read_upload(store, kept, "x", 10)[0] == content
        box.discard([kept, "/a/path"])
        assert not store.scan_records("upload") + store.scan_records("upload_piece")
        with pytest.raises(DocumentError, match="not kept"):
            read_upload(store, kept, "x", 10)


def test_of_what_is_too_large_only_so_much_is_kept(box: Inbox, store: Store) -> None:
    kept = box.keep(io.BytesIO(b"x" * 1000))
    assert len(store.scan_records("upload_piece")) == 4
    with pytest.raises(LimitError, match=r"big\.bin is larger"):
        read_upload(store, kept, "big.bin", 10)


def test_what_a_killed_process_left_is_swept(box: Inbox, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > 5:
                raise KeyboardInterrupt
            return super().read(size)

    with pytest.raises(KeyboardInterrupt):
        box.keep(Broken(b"0123456789"))
    forgotten, wanted = box.keep(b"forgotten"), box.keep(b"wanted")
    Tasks(store).create("ingest", Request(sources=(wanted,), names={wanted: "w.txt"}))
    box.sweep()
    assert len(store.scan_records("upload")) == 3
    monkeypatch.setattr(inbox, "_FORGOTTEN_SECONDS", -60)
    box.sweep()
    assert [f"upload:{each.id}" for each in store.scan_records("upload")] == [wanted]
    assert len(store.scan_records("upload_piece")) == 2
    assert forgotten != wanted


def test_a_path_is_meant_where_it_was_named(open_engine: Callable[..., Engine], tmp_path: Path) -> None:
    """A server elsewhere does not take up what it cannot see, and does what it can."""
    engine = open_engine()
    (tmp_path / "here.md").write_text("The owl hoots.", encoding="utf-8")
    handed = engine.submit_contents([("owl.md", b"The owl hoots.")])
    requests = {
        "gone from here": Request(sources=(str(tmp_path / "gone.md"),), home=engine.rooms.home),
        "somewhere else": Request(sources=(str(tmp_path / "gone.md"),), home="elsewhere:/data"),
        "on a disk we share": Request(sources=(str(tmp_path / "here.md"),), home="elsewhere:/data"),
        "an address": Request(sources=("https://example.com/",), home="elsewhere:/data"),
    }
    made = {engine.rooms.tasks.create("ingest", request).id: what for what, request in requests.items()}
    left = {task.id for task in engine.interrupted()}
    assert {made[id] for id in left - {handed.id}} == set(requests) - {"somewhere else"}
    assert handed.id in left

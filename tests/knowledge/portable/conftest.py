"""Real stores, and small documents to put into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowgate.knowledge.portable import export
from knowgate.model import Chunk, Document, EmbedderIdentity
from knowgate.store.port import Batch, DocumentWrite, Record, Store, VectorWrite
from knowgate.store.sqlite.store import SqliteStore

IDENTITY = EmbedderIdentity("local", "tiny", 4)


@pytest.fixture
def identity() -> EmbedderIdentity:
    return IDENTITY


@pytest.fixture
def new_store(tmp_path: Path) -> Iterator[Callable[..., SqliteStore]]:
    """Opens an empty store in a folder of its own."""
    opened: list[SqliteStore] = []

    def open_store(kind: type[SqliteStore] = SqliteStore) -> SqliteStore:
        opened.append(kind(tmp_path / f"data{len(opened)}"))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def written() -> Callable[..., DocumentWrite]:
    """A document with these passages."""

    def make(id: str, *texts: str, **changes: Any) -> DocumentWrite:
        chunks, at = list[Chunk](), 0
        for ordinal, text in enumerate(texts):
            end = at + len(text)
            chunks.append(Chunk(f"{id}:{ordinal}", id, ordinal, text, ("Top", id), at, end, ordinal + 1, 7))
            at = end + 1
        values: dict[str, Any] = {
            "id": id,
            "name": f"{id}.md",
            "source": f"/docs/{id}.md",
            "type": "markdown",
            "mime": "text/markdown",
            "title": id,
            "sha256": "ab" * 32,
            "recipe": "1",
            "size": 10,
            "owner": "me",
            "modified_at": 1.5,
            "indexed_at": 100.25,
            "fields": {"author": "Zoë", "pages": 3, "draft": False, "share": 0.1},
            "warnings": ("one page was empty",),
            "chunks": len(texts),
        }
        return DocumentWrite(Document(**(values | changes)), chunks)

    return make


@pytest.fixture
def embed() -> Callable[..., None]:
    """Gives every waiting document vectors, except those named."""

    def run(store: Store, identity: EmbedderIdentity = IDENTITY, leave: tuple[str, ...] = ()) -> None:
        space = store.space() or store.start_space(identity)
        for waiting in store.pending(1000):
            if waiting.document_id not in leave:
                rows = [[len(chunk.text) % 7, chunk.ordinal, 0.5, -1] for chunk in waiting.chunks]
                matrix = np.array(rows, dtype=np.float32)
                write = VectorWrite(waiting.document_id, waiting.revision, space.generation, matrix)
                store.apply(Batch(vectors=[write]))

    return run


@pytest.fixture
def shop(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite], embed: Callable[..., None]
) -> SqliteStore:
    """Three documents, one of them empty, vectors for all, and records of every kind."""
    store = new_store()
    store.apply(Batch(documents=[written("refunds", "Money back in 30 days.", "Keep the receipt."), written("blank")]))
    store.apply(Batch(documents=[written("opening hours", "营业时间\u2028九点 😀", 'a "quoted"\nline\t\x00end')]))
    records = [Record("chat", "c1", {"title": "Hello", "messages": [{"role": "user", "text": "hi"}]})]
    records += [Record("filter", "f1", {"types": ["pdf"]}), Record("key", "k1", {"secret": "s3cret"})]
    records += [Record("task", "t1", {"stage": "done"}), Record("lease", "l1", {"holder": "h"})]
    store.apply(Batch(records=records))
    embed(store)
    return store


@pytest.fixture
def archive(shop: SqliteStore, tmp_path: Path) -> Path:
    return export(shop, tmp_path / "shop.knowgate.zip").path

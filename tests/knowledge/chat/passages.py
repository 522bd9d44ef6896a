"""Passages, made by hand: as they are found, and as they are kept."""

from __future__ import annotations

from knowgate.model import Chunk, Document, Hit
from knowgate.store.port import Batch, DocumentWrite, Store


def hit(text: str, name: str = "refunds.md", headings: tuple[str, ...] = (), page: int | None = None) -> Hit:
    document = Document(name, name, f"text:{name}", "markdown", "text/markdown", name, "", "", 1, "ann", 0.0, 0.0)
    return Hit(Chunk(f"{name}-1", name, 0, text, headings, 0, len(text), page), document, 0.9)


def keep(store: Store, *hits: Hit) -> None:
    store.apply(Batch(documents=[DocumentWrite(hit.document, [hit.chunk]) for hit in hits]))
    store.refresh()

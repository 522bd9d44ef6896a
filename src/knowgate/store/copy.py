"""From one store to another, whichever they are: counted, compared, and taken up again where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np

from knowgate.errors import StorageError
from knowgate.model import Document
from knowgate.store.port import (
    Batch,
    DocumentWrite,
    Matrix,
    Record,
    Space,
    Store,
    VectorWrite,
    scan_all_documents,
    scan_all_records,
)

Item = TypeVar("Item")
_AT_ONCE = 20
_EXACT = 1e-3
"""Stores keep half-precision numbers."""


@dataclass(frozen=True, slots=True)
class Copied:
    documents: int
    passages: int
    vectors: int
    records: int
    unchanged: int
    """Documents that were there already."""


def copy(source: Store, target: Store, kinds: Sequence[str], progress: Callable[[int, int], None]) -> Copied:
    """All documents with what is derived from them, and all records of these kinds.

    What the target has besides stays. Ended half-way, the next run goes on: what is the same is not written again.
    """
    total = source.stats().documents
    space = _same_space(source, target)
    passages = vectors = done = unchanged = 0
    for page in _pages(scan_all_documents(source)):
        there = target.documents([document.id for document in page])
        new = [document for document in page if there.get(document.id) != document]
        if new:
            target.apply(Batch(documents=[_whole(source, document) for document in new]))
        if space is not None:
            vectors += _copy_vectors(source, target, page, space)
        _compare(source, target, new)
        passages += sum(document.chunks for document in page)
        done += len(page)
        unchanged += len(page) - len(new)
        progress(done, total)
    records = sum(_copy_records(source, target, kind) for kind in kinds)
    target.refresh()
    return Copied(done, passages, vectors, records, unchanged)


def _same_space(source: Store, target: Store) -> Space | None:
    wanted, found = source.space(), target.space()
    if wanted is None:
        return None
    return found if found is not None and found.identity == wanted.identity else target.start_space(wanted.identity)


def _whole(source: Store, document: Document) -> DocumentWrite:
    return DocumentWrite(document, source.document_chunks(document.id), source.facts(document.id))


def _copy_vectors(source: Store, target: Store, page: Sequence[Document], space: Space) -> int:
    """Those that the target is waiting for; how many."""
    writes: list[VectorWrite] = []
    for waiting in target.pending(len(page), among=[document.id for document in page]):
        matrix = source.document_vectors(waiting.document_id)
        if matrix is not None:
            first = len(matrix) - len(waiting.chunks)
            writes.append(VectorWrite(waiting.document_id, waiting.revision, space.generation, matrix[first:], first))
    target.apply(Batch(vectors=writes))
    return sum(len(write.vectors) for write in writes)


def _compare(source: Store, target: Store, documents: Sequence[Document]) -> None:
    """Read back what was written."""
    there = target.documents([document.id for document in documents])
    wanted = {chunk.id: chunk for document in documents for chunk in source.document_chunks(document.id)}
    found = target.chunks(list(wanted))
    for document in documents:
        passages = [f"{document.id}:{ordinal}" for ordinal in range(document.chunks)]
        same = (
            there.get(document.id) == document
            and all(found.get(id) == wanted.get(id) for id in passages)
            and target.facts(document.id) == source.facts(document.id)
            and _near(source.document_vectors(document.id), target.document_vectors(document.id))
        )
        if not same:
            raise StorageError(
                "copy_differs",
                f"{document.name} does not read the same in both stores.",
                "Stop what writes to either of them, and copy again.",
            )


def _near(ours: Matrix | None, theirs: Matrix | None) -> bool:
    return ours is None or (theirs is not None and np.allclose(ours, theirs, atol=_EXACT))


def _copy_records(source: Store, target: Store, kind: str) -> int:
    count = 0
    for page in _pages(scan_all_records(source, kind)):
        wanted = [Record(kind, each.id, each.value) for each in page if _value(target, each) != each.value]
        target.apply(Batch(records=wanted))
        count += len(page)
    return count


def _value(store: Store, record: Record) -> object:
    found = store.record(record.kind, record.id)
    return found.value if found else None


def _pages(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while page := list(islice(rest, _AT_ONCE)):
        yield page

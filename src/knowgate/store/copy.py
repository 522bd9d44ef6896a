"""From one store to another, whichever they are: counted, compared, and taken up again where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np

from knowgate.errors import ConflictError, StorageError
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
_COPYING = "copying"
_EXACT = 1e-3
"""Stores keep half-precision numbers."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What both stores have now."""

    documents: int
    passages: int
    vectors: int
    facts: int
    records: Mapping[str, int]
    """Of each kind that was asked for."""
    unchanged: int
    """Documents that were there already."""


def copy(source: Store, target: Store, kinds: Sequence[str], progress: Callable[[int, int], None]) -> Copied:
    """All documents with what is derived from them, and all records of these kinds.

    What the target has besides stays. Ended half-way, the next run goes on: what is there and reads the same is not
    written again.
    """
    total = source.stats().documents
    space = _same_space(source, target)
    passages = vectors = facts = done = unchanged = 0
    for page in _pages(scan_all_documents(source)):
        there = target.documents([document.id for document in page])
        told = {document.id: source.facts(document.id) for document in page}
        known = [document for document in page if there.get(document.id) == document]
        differing = _differing(source, target, known)
        # A store writes no passages that it believes to have.
        target.apply(Batch(delete=[document.id for document in differing]))
        same = {document.id for document in known} - {document.id for document in differing}
        new = [document for document in page if document.id not in same]
        if new:
            writes = [DocumentWrite(each, source.document_chunks(each.id), told[each.id]) for each in new]
            target.apply(Batch(documents=writes))
        if space is not None:
            vectors += _copy_vectors(source, target, page, space)
        for document in _differing(source, target, new):
            raise _different(document.name)
        passages += sum(document.chunks for document in page)
        facts += sum(len(each.names) + len(each.mentions) + len(each.links) + len(each.clues) for each in told.values())
        done += len(page)
        unchanged += len(page) - len(new)
        progress(done, total)
    records = {kind: _copy_records(source, target, kind) for kind in kinds}
    target.refresh()
    return Copied(done, passages, vectors, facts, records, unchanged)


def claim(target: Store, origin: str, kinds: Sequence[str]) -> None:
    """Only what is empty, or was begun from the same origin, is copied into: else older things would replace newer."""
    begun = target.record("store", _COPYING)
    if begun is None and (target.stats().documents or any(target.scan_records(kind, limit=1) for kind in kinds)):
        raise ConflictError(
            "target_not_empty",
            "The index there holds something already; what both have would be replaced, keys that were revoked too.",
            "Copy to another folder or prefix, or repeat it with --overwrite.",
        )
    if begun is not None and begun.value["from"] != origin:
        raise ConflictError(
            "other_copy",
            f"A copy of {begun.value['from']} was begun there and not finished.",
            "Finish that one, copy to another folder or prefix, or repeat it with --overwrite.",
        )
    target.apply(Batch(records=[Record("store", _COPYING, {"from": origin})]))


def release(target: Store) -> None:
    target.apply(Batch(drop=[("store", _COPYING)]))


def _same_space(source: Store, target: Store) -> Space | None:
    wanted, found = source.space(), target.space()
    if wanted is None:
        return None
    if found is not None and found.identity == wanted.identity:
        return found
    if found is not None and target.stats().vectors:
        raise ConflictError(
            "other_embedder",
            f"The vectors there were made by {found.identity.model}, those here by {wanted.identity.model}.",
            "Copy to another folder or prefix, or run `knowgate reembed` on one of the two first.",
        )
    return target.start_space(wanted.identity)


def _copy_vectors(source: Store, target: Store, page: Sequence[Document], space: Space) -> int:
    """Those that the target is waiting for; how many it has then."""
    writes: list[VectorWrite] = []
    ids = [document.id for document in page]
    for waiting in target.pending(len(page), among=ids):
        matrix = source.document_vectors(waiting.document_id)
        if matrix is not None:
            first = len(matrix) - len(waiting.chunks)
            writes.append(VectorWrite(waiting.document_id, waiting.revision, space.generation, matrix[first:], first))
    target.apply(Batch(vectors=writes))
    missing = sum(len(waiting.chunks) for waiting in target.pending(len(page), among=ids))
    return sum(document.chunks for document in page) - missing


def _differing(source: Store, target: Store, documents: Sequence[Document]) -> list[Document]:
    """Those that do not read the same in both."""
    there = target.documents([document.id for document in documents])
    wanted = {chunk.id: chunk for document in documents for chunk in source.document_chunks(document.id)}
    found = target.chunks(list(wanted))

    def same(document: Document) -> bool:
        passages = [f"{document.id}:{ordinal}" for ordinal in range(document.chunks)]
        return (
            there.get(document.id) == document
            and all(found.get(id) == wanted.get(id) for id in passages)
            and target.facts(document.id) == source.facts(document.id)
            and _near(source.document_vectors(document.id), target.document_vectors(document.id))
        )

    return [document for document in documents if not same(document)]


def _near(ours: Matrix | None, theirs: Matrix | None) -> bool:
    return ours is None or (theirs is not None and np.allclose(ours, theirs, atol=_EXACT))


def _copy_records(source: Store, target: Store, kind: str) -> int:
    count = 0
    for page in _pages(scan_all_records(source, kind)):
        wanted = [Record(kind, each.id, each.value) for each in page if _value(target, each) != each.value]
        target.apply(Batch(records=wanted))
        for each in wanted:
            if _value(target, each) != each.value:
                raise _different(f"The {kind} {each.id}")
        count += len(page)
    return count


def _different(what: str) -> StorageError:
    return StorageError(
        "copy_differs",
        f"{what} does not read the same in both stores.",
        "Stop what writes to either of them, and copy again.",
    )


def _value(store: Store, record: Record) -> object:
    found = store.record(record.kind, record.id)
    return found.value if found else None


def _pages(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while page := list(islice(rest, _AT_ONCE)):
        yield page

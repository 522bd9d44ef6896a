"""From an archive into a store: everything is checked before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from knowgate.errors import ConflictError, DocumentError
from knowgate.knowledge.portable import form
from knowgate.knowledge.portable.form import Manifest, Whole
from knowgate.knowledge.portable.unpack import Archive, open_archive
from knowgate.store.port import Batch, DocumentWrite, Facts, Pending, Space, Store, VectorWrite, scan_all_documents

MAX_BYTES = 64 << 30
_NO_GRAPH = "An older Knowgate wrote the archive, without a graph; ingest its documents again to have one."
_RECORDS = 100
"""How many are written together."""

Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class ImportReport:
    added: int
    replaced: int
    unchanged: int
    """Documents that were in the store just as they are in the archive."""
    chunks: int
    vectors: int
    """Taken from the archive."""
    records: int
    pending: int
    """All documents of the store that wait for vectors now."""
    advice: str
    """What to do about them; empty when there is nothing to do."""


def import_(
    store: Store,
    source: Path,
    *,
    kinds: Sequence[str] = form.RECORD_KINDS,
    max_bytes: int = MAX_BYTES,
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Add the archive to the store; documents and records of the same id are replaced, all others stay.

    `progress` counts each document twice: checked, then written. Interrupted, it can simply be run again.
    """
    with open_archive(source, max_bytes) as archive:
        total = 2 * archive.manifest.counts.documents
        done = count(1)

        def step() -> None:
            if progress:
                progress(next(done), total)

        _check(store, archive, source, kinds, step)
        space = _space_for(store, archive.manifest)
        writing = _Writing(store, space)
        for whole in archive.documents():
            writing.put(whole)
            step()
        records = _put_records(store, archive)
        pending = store.stats().pending
        advice = [_about_vectors(archive.manifest, space, store.space(), pending)]
        if not archive.has_facts:
            advice.append(_NO_GRAPH)
        return ImportReport(
            writing.added,
            writing.replaced,
            writing.unchanged,
            writing.chunks,
            writing.vectors,
            records,
            pending,
            " ".join(filter(None, advice)),
        )


def _check(store: Store, archive: Archive, source: Path, kinds: Sequence[str], step: Step) -> None:
    owners: dict[str, str] = {}
    for whole in archive.documents():
        document = whole.document
        if owners.setdefault(document.source, document.id) != document.id:
            raise DocumentError(
                "damaged_archive",
                f"The archive {source} is damaged: two of its documents come from {document.source}.",
                "Use another export.",
            )
        step()
    for record in archive.records():
        # Else an archive could bring keys of its own.
        if record.kind not in kinds:
            raise DocumentError(
                "unexpected_record",
                f"The archive {source} holds a record of the kind {record.kind!r}, which is not to be imported.",
                "Nothing was imported; use an archive that `knowgate export` has written.",
            )
    for document in scan_all_documents(store):
        if owners.get(document.source, document.id) != document.id:
            raise ConflictError(
                "source_taken",
                f"{document.source} is in the index under another id than in the archive.",
                f"Nothing was imported; run `knowgate delete {document.name}` first.",
            )


def _space_for(store: Store, manifest: Manifest) -> Space | None:
    """The space the archive's vectors fit into, begun if the store is empty; None when they fit nowhere."""
    if manifest.embedder is None or not manifest.counts.vectors:
        return None
    space = store.space()
    if space is None and not store.stats().documents:
        return store.start_space(manifest.embedder)
    return space if space and space.identity == manifest.embedder else None


class _Writing:
    """Documents on their way into the store, in order of id."""

    def __init__(self, store: Store, space: Space | None) -> None:
        self._store = store
        self._space = space
        self._last = ""
        self.added = self.replaced = self.unchanged = self.chunks = self.vectors = 0

    def put(self, whole: Whole) -> None:
        id = whole.document.id
        stored = self._store.documents([id]).get(id)
        # Writing it anew would throw away the vectors it may have.
        if stored == whole.document and self._holds(whole):
            self.unchanged += 1
        else:
            self._store.apply(Batch(documents=[DocumentWrite(whole.document, whole.chunks, whole.facts or Facts())]))
            self.chunks += len(whole.chunks)
            if stored:
                self.replaced += 1
            else:
                self.added += 1
        self._put_vectors(whole)
        self._last = id

    def _holds(self, whole: Whole) -> bool:
        id = whole.document.id
        same = self._store.document_chunks(id) == whole.chunks
        return same and whole.facts in (None, self._store.facts(id))

    def _put_vectors(self, whole: Whole) -> None:
        if self._space is None or whole.vectors is None:
            return
        waiting = self._waiting(whole.document.id)
        # Another process may have written the document in between; then these are the vectors of other passages.
        if waiting and list(waiting.chunks) == whole.chunks:
            write = VectorWrite(waiting.document_id, waiting.revision, self._space.generation, whole.vectors)
            self._store.apply(Batch(vectors=[write]))
            self.vectors += len(whole.vectors)

    def _waiting(self, id: str) -> Pending | None:
        """Those that wait are listed in order of id, too: few or none lie between the last document and this one."""
        after = self._last
        while found := self._store.pending(1, after):
            after = found[0].document_id
            if after >= id:
                return found[0] if after == id else None
        return None


def _put_records(store: Store, archive: Archive) -> int:
    records = archive.records()
    total = 0
    while page := list(islice(records, _RECORDS)):
        store.apply(Batch(records=page))
        total += len(page)
    return total


def _about_vectors(manifest: Manifest, space: Space | None, own: Space | None, pending: int) -> str:
    if not pending:
        return ""
    waiting = f"{pending} documents wait for their vectors; `knowgate ingest` makes them."
    if space or manifest.embedder is None or not manifest.counts.vectors:
        return waiting
    theirs = manifest.embedder.model
    if own is None:
        return f"The archive's vectors ({theirs}) were left out, for the index has documents without any. {waiting}"
    return (
        f"The archive's vectors were left out, for they were made with {theirs}, those of the index with"
        f" {own.identity.model}. {waiting} To change over to {theirs}, configure it and run `knowgate reembed`."
    )

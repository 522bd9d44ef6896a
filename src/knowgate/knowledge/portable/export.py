"""From a store into an archive."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from knowgate.errors import ConflictError, LimitError
from knowgate.knowledge.portable import form
from knowgate.knowledge.portable.form import Counts, Manifest, Whole
from knowgate.knowledge.portable.pack import Packing, new_file
from knowgate.knowledge.portable.whole import document_ids, read_whole
from knowgate.store.port import Facts, Record, Store, scan_all_records
from knowgate.version import __version__


@dataclass(frozen=True, slots=True)
class ExportReport:
    path: Path
    documents: int
    chunks: int
    vectors: int
    records: int
    bytes: int
    """Of the archive."""


def export(
    store: Store,
    to: Path,
    *,
    vectors: bool = True,
    kinds: Sequence[str] = form.RECORD_KINDS,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ExportReport:
    """Write everything worth moving to `to`, while others go on writing to the store."""
    with new_file(to, overwrite) as file, zipfile.ZipFile(file, "w") as zip:
        counts = _pack(store, Packing(zip), to.parent, vectors, kinds, progress)
    return ExportReport(to, counts.documents, counts.chunks, counts.vectors, counts.records, to.stat().st_size)


def _pack(
    store: Store,
    packing: Packing,
    folder: Path,
    vectors: bool,
    kinds: Sequence[str],
    progress: Callable[[int, int], None] | None,
) -> Counts:
    space = store.space()
    ids = document_ids(store)
    documents = chunks = with_vectors = records = 0
    with ExitStack() as stack:
        documents_aside = stack.enter_context(tempfile.TemporaryFile(dir=folder))
        facts_aside = stack.enter_context(tempfile.TemporaryFile(dir=folder))
        vectors_aside = stack.enter_context(tempfile.TemporaryFile(dir=folder))
        with packing.member(form.CHUNKS) as write:
            for done, id in enumerate(ids, start=1):
                if whole := read_whole(store, id, vectors):
                    write(_passages(whole))
                    documents_aside.write(_bounded(form.document_line(whole.document), id))
                    facts_aside.write(_facts(whole))
                    vectors_aside.write(_vectors(whole))
                    documents += 1
                    chunks += len(whole.chunks)
                    with_vectors += 0 if whole.vectors is None else len(whole.vectors)
                if progress:
                    progress(done, len(ids))
        if vectors and store.space() != space:
            raise ConflictError(
                "embedder_changed",
                "The embedder was changed while the index was being exported, so its vectors do not belong together.",
                "Run the export again.",
            )
        packing.copy(form.DOCUMENTS, documents_aside)
        packing.copy(form.FACTS, facts_aside)
        if vectors:
            packing.copy(form.VECTORS, vectors_aside)
    with packing.member(form.RECORDS) as write:
        for record in _records(store, kinds):
            write(_bounded(form.record_line(record), record.id))
            records += 1
    counts = Counts(documents, chunks, with_vectors, records)
    manifest = Manifest(
        form.FORMAT, form.VERSION, __version__, counts, space.identity if space else None, packing.members
    )
    with packing.member(form.MANIFEST) as write:
        write(form.manifest_text(manifest))
    return counts


def _passages(whole: Whole) -> bytes:
    lines = b"".join(_bounded(form.chunk_line(chunk), chunk.id) for chunk in whole.chunks)
    return _bounded(lines, whole.document.id, form.MAX_DOCUMENT)


def _facts(whole: Whole) -> bytes:
    line = form.facts_line(whole.document.id, whole.facts or Facts())
    return _bounded(line, whole.document.id, form.MAX_DOCUMENT)


def _vectors(whole: Whole) -> bytes:
    line = form.vectors_line(whole.document.id, whole.vectors)
    return _bounded(line, whole.document.id, form.MAX_DOCUMENT)


def _bounded(data: bytes, id: str, limit: int = form.MAX_LINE) -> bytes:
    """What is longer would be refused when it is read."""
    if len(data) > limit:
        raise LimitError(
            "too_large",
            f"{id} takes {len(data) >> 20} MB, more than the {limit >> 20} MB an archive can hold in one piece.",
            "Delete it or split its source, or export without vectors.",
        )
    return data


def _records(store: Store, kinds: Sequence[str]) -> Iterator[Record]:
    for kind in sorted(set(kinds)):
        yield from scan_all_records(store, kind)

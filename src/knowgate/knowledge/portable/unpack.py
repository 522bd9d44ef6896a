"""Reading an archive without trusting it: nothing is taken at its word, and no name in it becomes a path."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from knowgate.errors import DocumentError, InputError, KnowgateError, LimitError
from knowgate.knowledge.portable import form
from knowgate.knowledge.portable.form import Manifest, Whole
from knowgate.model import Chunk
from knowgate.store.port import Facts, Matrix, Record

_MAX_MANIFEST = 1 << 20
_BUFFER = 1 << 18
_ALWAYS = {form.DOCUMENTS, form.CHUNKS, form.RECORDS}
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError)

Noun = TypeVar("Noun")


@contextmanager
def open_archive(source: Path, max_bytes: int) -> Generator[Archive]:
    """The archive, when its manifest fits its members. What their lines are worth shows while they are read."""
    try:
        zip = zipfile.ZipFile(source)
    except FileNotFoundError as error:
        raise InputError("file_not_found", f"There is no file {source}.", "Check the spelling.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("unreadable_path", f"{source} cannot be read: {reason}.", "Give an archive file.") from error
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
        raise _not_ours(source, "is not a zip file, or its end is missing") from error
    with zip:
        manifest = _manifest(zip, source)
        _check_members(zip, manifest, source, max_bytes)
        yield Archive(source, zip, manifest)


class Archive:
    """What an archive holds, in order. Can be read as often as wanted; every reading checks everything again."""

    def __init__(self, source: Path, zip: zipfile.ZipFile, manifest: Manifest) -> None:
        self._source = source
        self._zip = zip
        self.manifest = manifest
        self.has_vectors = form.VECTORS in manifest.members
        self.has_facts = form.FACTS in manifest.members

    def documents(self) -> Iterator[Whole]:
        documents = passages = embedded = 0
        last = ""
        with ExitStack() as stack:
            heads = stack.enter_context(self._lines(form.DOCUMENTS))
            chunks = stack.enter_context(self._lines(form.CHUNKS))
            facts = stack.enter_context(self._lines(form.FACTS)) if self.has_facts else None
            vectors = stack.enter_context(self._lines(form.VECTORS)) if self.has_vectors else None
            while line := heads.next():
                document = heads.read(form.read_document, line)
                if document.id <= last:
                    raise heads.damaged("documents are not in order")
                last = document.id
                found = _passages(chunks, last, document.chunks)
                matrix = self._vectors(vectors, last, len(found)) if vectors else None
                documents += 1
                passages += len(found)
                embedded += 0 if matrix is None else len(matrix)
                yield Whole(document, found, matrix, _facts(facts, last, found) if facts else None)
            for lines in (chunks, facts, vectors):
                if lines and lines.next():
                    raise lines.damaged("no document has this line")
        counts = self.manifest.counts
        if (documents, passages, embedded) != (counts.documents, counts.chunks, counts.vectors):
            raise _damaged(self._source, "it does not hold as much as its manifest says")

    def records(self) -> Iterator[Record]:
        count = 0
        last = ("", "")
        with self._lines(form.RECORDS) as lines:
            while line := lines.next():
                record = lines.read(form.read_record, line)
                if (record.kind, record.id) <= last:
                    raise lines.damaged("records are not in order")
                last = record.kind, record.id
                count += 1
                yield record
        if count != self.manifest.counts.records:
            raise _damaged(self._source, "it does not hold as much as its manifest says")

    def _vectors(self, lines: _Lines, id: str, rows: int) -> Matrix | None:
        embedder = self.manifest.embedder
        dimension = embedder.dimension if embedder else 0
        line = lines.next(form.MAX_DOCUMENT)
        return lines.read(lambda line: form.read_vectors(line, id, rows, dimension), line)

    @contextmanager
    def _lines(self, name: str) -> Generator[_Lines]:
        try:
            stream = io.BufferedReader(self._zip.open(name), _BUFFER)  # pyright: ignore[reportArgumentType]
        except (*_UNREADABLE, RuntimeError) as error:
            raise _damaged(self._source, f"{name} cannot be opened ({error})") from error
        with stream:
            yield _Lines(self._source, name, stream, self.manifest.members[name].sha256)


class _Lines:
    """The lines of a member, and at their end its checksum."""

    def __init__(self, source: Path, name: str, stream: io.BufferedReader, sha256: str) -> None:
        self._source = source
        self._name = name
        self._stream = stream
        self._expected = sha256
        self._digest = hashlib.sha256()
        self._number = 0

    def next(self, limit: int = form.MAX_LINE) -> bytes:
        """Empty at the end."""
        try:
            line = self._stream.readline(limit + 1)
        except _UNREADABLE as error:
            raise self.damaged(f"its data is broken: {error}") from error
        self._number += 1
        self._digest.update(line)
        if not line:
            if self._digest.hexdigest() != self._expected:
                raise self.damaged("its checksum is wrong")
        elif len(line) > limit:
            raise self.damaged(f"a line is longer than {limit >> 20} MB")
        elif not line.endswith(b"\n"):
            raise self.damaged("its last line is cut short")
        return line

    def read(self, reader: Callable[[bytes], Noun], line: bytes) -> Noun:
        try:
            return reader(line)
        except ValueError as error:
            raise self.damaged(str(error)) from error

    def damaged(self, why: str) -> DocumentError:
        return _damaged(self._source, f"{self._name}, line {self._number}: {why}")


def _passages(lines: _Lines, id: str, count: int) -> list[Chunk]:
    found: list[Chunk] = []
    size = 0
    last = -1
    for _ in range(count):
        line = lines.next()
        size += len(line)
        chunk = lines.read(form.read_chunk, line)
        if chunk.document_id != id or chunk.ordinal <= last:
            raise lines.damaged(f"this is not the next of the {count} passages of {id!r}")
        if size > form.MAX_DOCUMENT:
            raise lines.damaged(f"a document is larger than {form.MAX_DOCUMENT >> 20} MB")
        last = chunk.ordinal
        found.append(chunk)
    return found


def _facts(lines: _Lines, id: str, chunks: list[Chunk]) -> Facts:
    return lines.read(lambda line: form.read_facts(line, id, chunks), lines.next(form.MAX_DOCUMENT))


def _manifest(zip: zipfile.ZipFile, source: Path) -> Manifest:
    try:
        with zip.open(form.MANIFEST) as stream:
            text = stream.read(_MAX_MANIFEST)
        format, version = form.read_version(text)
    except (*_UNREADABLE, KeyError, ValueError, RuntimeError) as error:
        raise _not_ours(source, "is a zip file, but not of Knowgate's making") from error
    if format != form.FORMAT or version < 1:
        raise _not_ours(source, "is a zip file, but not of Knowgate's making")
    if version > form.VERSION:
        raise DocumentError(
            "newer_archive",
            f"{source} was written by a newer Knowgate (format {version}, this one knows {form.VERSION}).",
            "Upgrade with `pip install -U knowgate`.",
        )
    try:
        return form.read_manifest(text)
    except ValueError as error:
        raise _damaged(source, f"{form.MANIFEST}: {error}") from error


def _check_members(zip: zipfile.ZipFile, manifest: Manifest, source: Path, max_bytes: int) -> None:
    """Names, sizes and ways of packing; a name twice is one too many."""
    names = set(manifest.members)
    wanted = _ALWAYS if manifest.version == 1 else _ALWAYS | {form.FACTS}
    if names - {form.VECTORS} != wanted or sorted(zip.namelist()) != sorted((*names, form.MANIFEST)):
        raise _damaged(source, "it does not hold the members its manifest lists")
    for name, member in manifest.members.items():
        entry = zip.getinfo(name)
        if entry.file_size != member.bytes or entry.flag_bits & 1:
            raise _damaged(source, f"{name} is not as large as the manifest says, or encrypted")
    total = sum(member.bytes for member in manifest.members.values())
    if total > max_bytes:
        raise LimitError(
            "too_large",
            f"{source} unpacks to {total >> 20} MB, more than the {max_bytes >> 20} MB allowed.",
            "Write it anew with `knowgate export --no-vectors`, which makes it smaller.",
        )


def _not_ours(source: Path, why: str) -> KnowgateError:
    return DocumentError("not_an_archive", f"{source} {why}.", "Give a file that `knowgate export` has written.")


def _damaged(source: Path, why: str) -> DocumentError:
    return DocumentError(
        "damaged_archive",
        f"The archive {source} is damaged: {why}.",
        "Copy the file again, or use another export.",
    )

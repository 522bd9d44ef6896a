"""Opening zip-based documents without trusting them: what comes out is counted while it comes out."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator

from knowgate.errors import DocumentError

MAX_ENTRIES = 20_000
PIECE = 1 << 20


def corrupt(kind: str) -> DocumentError:
    return DocumentError(
        "corrupt_document",
        f"The file is damaged or not a real {kind} file.",
        "Open it in the program it came from, save it again and ingest the new copy.",
    )


def encrypted(kind: str) -> DocumentError:
    return DocumentError(
        "encrypted_document", f"The {kind} file is protected by a password.", "Remove the password and ingest it again."
    )


class Archive:
    """The entries of a zip file; everything ever read from it together stays below `limit` bytes."""

    def __init__(self, data: bytes, kind: str, limit: int) -> None:
        self.kind = kind
        self._limit = limit
        self._left = limit
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError) as error:
            raise corrupt(kind) from error
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise self._too_large()
        # Some writers use backslashes or a leading slash; the lookup forgives both.
        self._entries = {_normal(entry.filename): entry for entry in entries}

    def __contains__(self, name: str) -> bool:
        return _normal(name) in self._entries

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def read(self, name: str) -> bytes:
        return b"".join(self._pieces(name))

    def get(self, name: str) -> bytes | None:
        return self.read(name) if name in self else None

    def check(self) -> None:
        """Unpacks everything once and keeps nothing: for readers that unpack by themselves, without a limit."""
        for name, entry in self._entries.items():
            if not entry.filename.endswith("/"):
                for _ in self._pieces(name):
                    pass

    def _pieces(self, name: str) -> Iterator[bytes]:
        entry = self._entries.get(_normal(name))
        if entry is None or entry.filename.endswith("/"):
            raise corrupt(self.kind)
        if entry.flag_bits & 1:
            raise encrypted(self.kind)
        try:
            with self._zip.open(entry) as stream:
                while piece := stream.read(PIECE):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise self._too_large()
                    yield piece
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            struct.error,
        ) as error:
            raise corrupt(self.kind) from error

    def _too_large(self) -> DocumentError:
        return DocumentError(
            "too_large",
            f"The file unpacks to more than {self._limit // (1024 * 1024)} MB or {MAX_ENTRIES} entries.",
            "Split it into smaller files, or raise the limit if you trust it.",
        )


def _normal(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/").lstrip("/"))

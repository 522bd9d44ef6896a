"""Which files a trail is made of.

audit/mcp-audit-current.log                        being written
audit/mcp-audit-2026-03-01-000000000001.log.gz     closed; the number is its first record's
audit/mcp-audit-torn-000000000042.part             a piece of a line that a crash left
audit.seal/key, head, lock, packing                apart from what they vouch for
"""

from __future__ import annotations

import gzip
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import BinaryIO, cast

from knowgate.guard.audit.lock import locked_for_reading

CURRENT = "mcp-audit-current.log"
_CLOSED = re.compile(r"mcp-audit-\d{4}-\d\d-\d\d-(\d{12})\.log(\.gz)?")
_TORN = re.compile(r"mcp-audit-torn-(\d{12})\.part")


@dataclass(frozen=True, slots=True)
class Closed:
    path: Path
    first: int
    """The sequence number of its first record, as its name says."""


class Files:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.current = folder / CURRENT
        self.seal = folder.with_name(folder.name + ".seal")
        self.key = self.seal / "key"
        self.head = self.seal / "head"
        self.lock = self.seal / "lock"
        self.packing = self.seal / "packing"
        """The lock of who compresses."""

    def closed(self) -> list[Closed]:
        """Oldest first. A file that is there plain, too, was compressed and could not be removed yet."""
        found: dict[int, Closed] = {}
        for path in sorted(self._listing()):
            if name := _CLOSED.fullmatch(path.name):
                found[int(name[1])] = Closed(path, int(name[1]))
        return [found[first] for first in sorted(found)]

    def plain(self) -> list[Path]:
        """Closed and not compressed."""
        return [path for path in self._listing() if (name := _CLOSED.fullmatch(path.name)) and not name[2]]

    def before(self, sequence: int) -> list[Path]:
        """What begins before that record, oldest first."""
        named = [(_CLOSED.fullmatch(path.name) or _TORN.fullmatch(path.name), path) for path in self._listing()]
        numbered = sorted((int(name[1]), path) for name, path in named if name)
        return [path for first, path in numbered if first < sequence]

    def torn(self, sequence: int) -> Path:
        return self.folder / f"mcp-audit-torn-{sequence:012}.part"

    def make_folders(self) -> None:
        for folder in (self.folder, self.seal):
            # Folders above are made with the usual rights, unless they are made one by one.
            for each in (*reversed(folder.parents), folder):
                each.mkdir(mode=0o700, exist_ok=True)

    def any(self) -> bool:
        """Was anything ever written?"""
        return self.head.exists() or self.current.exists() or bool(self.closed())

    def _listing(self) -> list[Path]:
        try:
            return list(self.folder.iterdir())
        except FileNotFoundError:
            return []


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All of a trail at one moment."""

    head: bytes
    closed: list[Closed]
    current: BinaryIO | None
    """Stays readable when others go on and rotate; closed by who asked for it."""
    size: int


def snapshot(files: Files) -> Snapshot:
    with locked_for_reading(files.lock):
        try:
            current = files.current.open("rb")
        except FileNotFoundError:
            current = None
        size = os.fstat(current.fileno()).st_size if current else 0
        return Snapshot(read_if_there(files.head), files.closed(), current, size)


def read_if_there(path: Path) -> bytes:
    try:
        with FileIO(path) as file:
            return file.readall()
    except FileNotFoundError:
        return b""


def open_log(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def create_private(path: Path, mode: str) -> FileIO:
    """For its owner's eyes only, from the first moment on."""
    return FileIO(path, mode, opener=_private)


def remove(path: Path) -> None:
    # On Windows a file that somebody reads cannot be removed; the next rotation tries again.
    with suppress(OSError):
        path.unlink()


def sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o600)

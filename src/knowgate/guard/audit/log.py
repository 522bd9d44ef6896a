"""Appending to the chain, whoever else does so, and going on after whatever happened to the files."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from io import FileIO
from pathlib import Path

from knowgate.errors import StorageError
from knowgate.guard.audit import keys as keyring
from knowgate.guard.audit.chain import Head, open_head, open_line, resume, seal_head, seal_line
from knowgate.guard.audit.files import Files, create_private, open_log, read_if_there, remove, sync_folder
from knowgate.guard.audit.keys import Keys
from knowgate.guard.audit.lock import locked
from knowgate.guard.audit.pack import pack
from knowgate.guard.audit.record import Fields, timestamp

_NEW = 4
"""A file's name may not have reached the disk before this many records have."""


@dataclass(frozen=True, slots=True)
class Rotation:
    most_bytes: int = 100 * 1024 * 1024
    daily: bool = True
    keep: int = 30
    """Closed files; the oldest go first."""
    compress: bool = True


class Log:
    def __init__(self, folder: Path, rotation: Rotation, now: Callable[[], datetime]) -> None:
        self._files = Files(folder)
        self._rotation = rotation
        self._now = now
        self._keys: Keys | None = None
        self._saved: tuple[bytes, Head | None] = b"", None
        """The last head we wrote: while nobody else writes, its seal need not be looked at."""

    def keys(self) -> Keys:
        if self._keys is None:
            with self._explained():
                self._files.make_folders()
                with locked(self._files.lock):
                    self._keys = self._load_or_make_key()
        return self._keys

    def append(self, fields: Fields, *, durable: bool = False) -> int:
        """The record's number."""
        keys = self.keys()
        with self._explained():
            with locked(self._files.lock):
                head = self._opened(keys)
                rotated = self._is_full(head) and self._rotate(keys, head)
                head = self._put(keys, rotated or head, fields)
                written = create_private(self._files.current, "ab") if durable else None
            # Outside of the lock: the others need not wait for the disk.
            if written:
                with written:
                    os.fsync(written.fileno())
                if head.sequence < head.first + _NEW:
                    sync_folder(self._files.folder)
        if rotated and self._rotation.compress:
            self._pack()
        return head.sequence

    def _put(self, keys: Keys, head: Head, fields: Fields) -> Head:
        now = timestamp(self._now())
        sequence = head.sequence + 1
        line, seal = seal_line(keys, {"timestamp": now, **fields}, sequence, head.last)
        with create_private(self._files.current, "ab") as log:
            _write(log, line, head.size)
        first, day = (head.first, head.day) if head.size else (sequence, now[:10])
        head = Head(sequence, seal, head.size + len(line), first, day, head.oldest)
        self._save(keys, head)
        return head

    def _save(self, keys: Keys, head: Head) -> None:
        # After the line, so that a crash leaves a head that lags; one that ran ahead would accuse somebody.
        # In place and within one block of the disk: a process that is killed leaves the old head or the new one.
        data = seal_head(keys, head)
        with create_private(self._files.head, "r+b") as file:
            file.write(data)
        self._saved = data, head

    def _opened(self, keys: Keys) -> Head:
        """The head, in step with the log."""
        data = read_if_there(self._files.head)
        head = self._saved[1] if data == self._saved[0] else open_head(keys, data)
        try:
            size = self._files.current.stat().st_size
        except FileNotFoundError:
            size = 0
        if head and head.size == size:
            return head
        return self._recover(keys, head)

    def _recover(self, keys: Keys, head: Head | None) -> Head:
        if head and head.size and not self._files.current.exists():
            # A crash in the middle of a rotation; or the file was removed, and then its records are missed.
            return self._checkpoint(keys, head)
        lost = head is None and self._files.any()
        content = read_if_there(self._files.current)
        head, torn = resume(keys, head or self._head_from_files(keys), content)
        if torn:
            head = self._keep_aside(keys, head, torn)
        return self._put(keys, head, {"event": "head_lost"}) if lost else head

    def _head_from_files(self, keys: Keys) -> Head:
        """When the head is gone: what the closed files tell."""
        closed = self._files.closed()
        head = Head(oldest=closed[0].first if closed else 1)
        for each in reversed(closed):
            with suppress(OSError, EOFError, zlib.error), open_log(each.path) as file:
                for line in file:
                    sealed = open_line(keys, line)
                    if sealed and sealed.sequence > head.sequence:
                        head = replace(head, sequence=sealed.sequence, last=sealed.hmac)
            if head.sequence:
                break
        return replace(head, first=head.sequence + 1, day=timestamp(self._now())[:10])

    def _keep_aside(self, keys: Keys, head: Head, torn: bytes) -> Head:
        path = self._files.torn(head.sequence + 1)
        with create_private(path, "wb") as file:
            file.write(torn)
            os.fsync(file.fileno())
        os.truncate(self._files.current, head.size)
        digest = hashlib.sha256(torn).hexdigest()
        return self._put(keys, head, {"event": "torn", "file": path.name, "sha256": digest})

    def _is_full(self, head: Head) -> bool:
        old = self._rotation.daily and head.day != timestamp(self._now())[:10]
        return head.size > 0 and (old or head.size >= self._rotation.most_bytes)

    def _rotate(self, keys: Keys, head: Head) -> Head | None:
        """None when it cannot be done now."""
        closed = self._files.folder / f"mcp-audit-{head.day}-{head.first:012}.log"
        if any(each.first == head.first for each in self._files.closed()):
            return None
        try:
            self._files.current.rename(closed)
        except PermissionError:
            # Windows, while somebody reads the file: the log grows a little longer than it should.
            return None
        return self._checkpoint(keys, head)

    def _checkpoint(self, keys: Keys, head: Head) -> Head:
        """The first line of a new file names the one before it, and says what is no longer kept."""
        closed = self._files.closed()
        kept = closed[-self._rotation.keep :]
        before = {"file": closed[-1].path.name.removesuffix(".gz")} if closed else {}
        head = replace(head, size=0, oldest=max(head.oldest, kept[0].first if kept else 1))
        head = self._put(keys, head, {"event": "checkpoint", **before, "oldest": head.oldest})
        for path in self._files.before(head.oldest):
            remove(path)
        return head

    def _pack(self) -> None:
        # What could not be compressed now is compressed after the next rotation.
        with suppress(OSError), locked(self._files.packing, patience=0):
            for path in self._files.plain():
                name, digest = pack(path)
                self.append({"event": "compressed", "file": name, "sha256": digest})
                remove(path)

    def _load_or_make_key(self) -> Keys:
        path = self._files.key
        if not path.exists():
            if self._files.any():
                raise StorageError(
                    "audit_key_lost",
                    f"The key of the audit trail, {path}, is gone.",
                    f"Put it back, or move {self._files.folder} and {self._files.seal} away to begin a new trail.",
                )
            keyring.make(path)
        return keyring.load(path)

    @contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                "audit_unwritable",
                f"The audit trail in {self._files.folder} cannot be written: {error.strerror or error}.",
                "Make room on the disk, or make that folder and the one beside it that ends in .seal writable.",
            ) from error


def _write(log: FileIO, line: bytes, size: int) -> None:
    try:
        written = log.write(line)
        while written < len(line):
            written += log.write(line[written:])
    except OSError:
        # A full disk takes half a line. What cannot be taken back now is kept aside by whoever comes next.
        with suppress(OSError):
            log.truncate(size)
        raise

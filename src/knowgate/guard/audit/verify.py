"""Was the trail changed? Every place where it does not fit is named."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from knowgate.guard.audit import keys as keyring
from knowgate.guard.audit.chain import GENESIS, Head, Sealed, open_head, open_line
from knowgate.guard.audit.files import CURRENT, Files, Snapshot, open_log, snapshot
from knowgate.guard.audit.keys import Keys


@dataclass(frozen=True, slots=True)
class Finding:
    file: str
    line: int
    """From 1; 0 is the file as a whole."""
    code: str
    message: str


def verify(folder: Path) -> list[Finding]:
    """Empty when all is well. Needs the key, so it runs where the trail is written, or on a copy with its seal."""
    files = Files(folder)
    if not files.any():
        return []
    try:
        keys = keyring.load(files.key)
    except FileNotFoundError:
        return [Finding(str(files.key), 0, "key_lost", "The key is gone: nothing can be said about the trail.")]
    while True:
        now = snapshot(files)
        try:
            return _Walk(keys, files, open_head(keys, now.head)).over(now)
        except FileNotFoundError:
            continue  # compressed or let go by another process meanwhile
        finally:
            if now.current:
                now.current.close()


@dataclass(slots=True)
class _Walk:
    keys: Keys
    files: Files
    head: Head | None
    expected: int = 1
    previous: str | None = GENESIS
    """None when it is not known what stood before."""
    findings: list[Finding] = field(default_factory=list[Finding])
    packed: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Hashes of compressed files by name."""

    def over(self, now: Snapshot) -> list[Finding]:
        if self.head is None:
            self._add(
                "head", 0, "head_lost", "The head is gone or was changed: the last records may have been dropped."
            )
        self._begin(now)
        names = {each.path.name.removesuffix(".gz") for each in now.closed}
        for each in now.closed:
            self._file(each.path.name, _lines(each.path), names)
        lines = self._file(CURRENT, _first_bytes(now.current, now.size), names) if now.current else 0
        self._end(lines)
        for each in now.closed:
            known = self.packed.get(each.path.name)
            if known and _digest(each.path) not in known:
                self._add(each.path.name, 0, "changed", "The compressed file was changed.")
        return self.findings

    def _begin(self, now: Snapshot) -> None:
        oldest = self.head.oldest if self.head else 1
        self.expected = oldest
        if now.closed and (now.closed[0].first < oldest or not self.head):
            self.expected = now.closed[0].first  # not removed yet, though it may be
        if self.expected > 1:
            self.previous = None

    def _file(self, name: str, lines: Iterator[bytes], others: set[str]) -> int:
        number = 0
        try:
            for number, line in enumerate(lines, 1):
                sealed = open_line(self.keys, line)
                if sealed is None:
                    self._unsealed(name, number, line)
                else:
                    self._sealed(name, number, sealed, others)
        except (EOFError, zlib.error, OSError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            self._add(name, number + 1, "changed", "From here on the file cannot be read.")
        return number

    def _unsealed(self, name: str, number: int, line: bytes) -> None:
        if line.endswith(b"\n"):
            self._add(
                name,
                number,
                "changed",
                f"The line was changed, or added by somebody. Record {self.expected} belongs here.",
            )
        else:
            self._add(name, number, "cut", f"The line breaks off. Record {self.expected} belongs here.")
        self.expected += 1
        self.previous = None

    def _sealed(self, name: str, number: int, sealed: Sealed, others: set[str]) -> None:
        if sealed.sequence != self.expected:
            self._out_of_place(name, number, sealed, others)
        elif self.previous is not None and sealed.previous != self.previous:
            self._add(name, number, "changed", f"Record {sealed.sequence} followed another record than the one above.")
        # A record that comes too late leaves what is expected as it is.
        self.previous = sealed.hmac if sealed.sequence >= self.expected else None
        self.expected = max(self.expected, sealed.sequence + 1)
        match sealed.fields.get("event"):
            case "compressed":
                self.packed.setdefault(sealed.fields["file"], set()).add(sealed.fields["sha256"])
            case "torn":
                self._torn(sealed)
            case "head_lost":
                self._add(
                    name,
                    number,
                    "head_lost",
                    "The head was gone when this was written: records may be missing before it.",
                )
            case _:
                pass

    def _out_of_place(self, name: str, number: int, sealed: Sealed, others: set[str]) -> None:
        gone = f"records {self.expected} to {sealed.sequence - 1}"
        before = sealed.fields.get("file", "")
        if sealed.sequence < self.expected:
            self._add(name, number, "moved", f"Record {sealed.sequence} does not belong here.")
        elif self.head and sealed.sequence <= self.head.oldest:
            pass  # what lay between was let go, and this will be
        elif number == 1 and sealed.fields.get("event") == "checkpoint" and before and before not in others:
            self._add(before, 0, "missing_file", f"The file is gone, and with it {gone}.")
        else:
            self._add(name, number, "missing", f"Before this line {gone} are missing.")

    def _torn(self, sealed: Sealed) -> None:
        path = self.files.folder / sealed.fields["file"]
        if not path.exists():
            self._add(path.name, 0, "missing_file", "The piece of a line that a crash left is gone.")
        elif _digest(path) != sealed.fields["sha256"]:
            self._add(path.name, 0, "changed", "The piece of a line that a crash left was changed.")

    def _end(self, lines: int) -> None:
        last = self.expected - 1
        if self.head and last < self.head.sequence:
            gone = f"Records {self.expected} to {self.head.sequence} are missing at the end."
            self._add(CURRENT, lines, "missing_end", gone)
        elif self.head and last == self.head.sequence and self.previous not in (None, self.head.last):
            self._add(CURRENT, lines, "changed", "The last line is another one than the head remembers.")

    def _add(self, file: str, line: int, code: str, message: str) -> None:
        self.findings.append(Finding(file, line, code, message))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _lines(path: Path) -> Iterator[bytes]:
    with open_log(path) as file:
        yield from file


def _first_bytes(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Its lines, as far as it went when we looked."""
    for line in file:
        if size <= 0:
            return
        yield line[:size]
        size -= len(line)

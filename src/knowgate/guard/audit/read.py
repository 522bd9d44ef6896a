"""Reading the trail, newest first. Whether it can be believed is for `verify` to say."""

from __future__ import annotations

import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from knowgate.errors import InputError
from knowgate.guard.audit.files import Closed, Files, open_log, snapshot
from knowgate.guard.audit.record import timestamp

Record = Mapping[str, Any]
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Wanted:
    """All must hold; empty is no constraint. Tools and operations may be patterns with `*` and `?`."""

    id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    principal: str = ""
    """An id or a name."""
    tool: str = ""
    operation: str = ""
    decision: str = ""
    status: str = ""

    def __post_init__(self) -> None:
        try:
            for moment in filter(None, (self.since, self.until)):
                timestamp(moment)
        except OverflowError as error:
            raise InputError("bad_time", "That time lies outside the calendar.", "Choose another one.") from error

    def matches(self, record: Record) -> bool:
        principal = (at(record, "principal", "id"), at(record, "principal", "name"))
        when = str(record.get("timestamp", ""))
        return (
            self.id in ("", record.get("id"))
            and (self.since is None or when >= timestamp(self.since))
            and (self.until is None or when <= timestamp(self.until))
            and self.principal in ("", *principal)
            and fnmatchcase(str(at(record, "tool")), self.tool or "*")
            and fnmatchcase(str(at(record, "operation", "operation_id")), self.operation or "*")
            and self.decision in ("", at(record, "policy", "decision"))
            and self.status in ("", at(record, "response", "status"))
        )


ALL = Wanted()


@dataclass(frozen=True, slots=True)
class Page:
    records: tuple[Record, ...]
    cursor: str = ""
    """Hand it back for older ones; empty when there are no more."""


def read(folder: Path, wanted: Wanted = ALL, limit: int = 50, cursor: str = "") -> Page:
    """One record for each call: its outcome; or the attempt, when none came of it yet."""
    found: list[Record] = []
    place = ""
    for record, here in _walk(folder, wanted, cursor):
        if len(found) == limit:
            return Page(tuple(found), place)
        found.append(record)
        place = here
    return Page(tuple(found))


def read_all(folder: Path, wanted: Wanted = ALL) -> Iterator[Record]:
    return (record for record, _ in _walk(folder, wanted, ""))


def at(record: Record, *names: str) -> Any:
    """A field of a field; empty when it is not there, whatever stands in its place."""
    value: Any = record
    for name in names:
        value = cast(Record, value).get(name, "") if isinstance(value, Mapping) else ""
    return value


def _walk(folder: Path, wanted: Wanted, cursor: str) -> Iterator[tuple[Record, str]]:
    """Records, each with the cursor to go on behind it."""
    # An outcome stands for its attempt, which comes later on the way back, maybe on another page.
    before, answered = _read_cursor(cursor)
    for record in _backwards(Files(folder), before):
        sequence = record["sequence"]
        match record.get("event"):
            case "outcome" if isinstance(record.get("attempt"), int):
                answered.add(record["attempt"])
            case "attempt" if sequence in answered:
                answered.discard(sequence)
                continue
            case "attempt" | "refused":
                pass
            case _:
                continue
        if wanted.matches(record):
            yield record, "-".join(map(str, (sequence, *sorted(answered))))


def _read_cursor(cursor: str) -> tuple[int | None, set[int]]:
    if not cursor:
        return None, set()
    numbers = cursor.split("-")
    if not all(number.isascii() and number.isdigit() and len(number) < 19 for number in numbers):
        raise InputError("bad_cursor", "That is not a cursor.", "Hand back the one that came with the last page.")
    before, *answered = map(int, numbers)
    return before, set(answered)


def _backwards(files: Files, before: int | None) -> Iterator[Record]:
    now = snapshot(files)
    with ExitStack() as stack:
        if now.current:
            yield from _records(stack.enter_context(now.current), now.size, before)
    for each in reversed(now.closed):
        if before is not None and each.first >= before:
            continue
        with ExitStack() as stack:
            if file := _plain(each, stack):
                yield from _records(file, file.seek(0, 2), before)


def _plain(closed: Closed, stack: ExitStack) -> BinaryIO | None:
    """A file that can be read from its end. None when it was let go meanwhile."""
    for path in (closed.path, closed.path.with_name(closed.path.name + ".gz")):
        try:
            file = stack.enter_context(open_log(path))
        except FileNotFoundError:
            continue
        if path.suffix != ".gz":
            return file
        plain = cast(BinaryIO, stack.enter_context(tempfile.TemporaryFile()))  # noqa: SIM115
        # Damaged: what comes before the damage is shown.
        with suppress(EOFError, zlib.error, OSError):
            shutil.copyfileobj(file, plain)
        return plain
    return None


def _records(file: BinaryIO, size: int, before: int | None) -> Iterator[Record]:
    for line in _lines_from_the_end(file, size):
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        sequence = at(record, "sequence")
        if isinstance(sequence, int) and (before is None or sequence < before):
            yield record


def _lines_from_the_end(file: BinaryIO, size: int) -> Iterator[bytes]:
    rest = b""
    while size:
        begin = max(0, size - _BLOCK)
        file.seek(begin)
        first, *lines = (file.read(size - begin) + rest).split(b"\n")
        yield from reversed(lines)
        rest, size = first, begin
    yield rest

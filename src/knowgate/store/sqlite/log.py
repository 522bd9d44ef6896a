"""A search log: rows in order of writing, most of them in mapped segments, the newest in memory, the dead masked.

The tables `words` and `vector` have the same shape (row, chunk, document, payload), so text and vectors share all of
this and differ only in how payloads become something to search (their codec).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import apsw
import numpy as np
import numpy.typing as npt

from knowgate.store.sqlite.segment import Array, SegmentLost, map_segment, sweep, write_segment

Payload = TypeVar("Payload")
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_TAIL_PARTS = 8
"""How many stretches the tail may have in memory before they become one."""
LARGEST_SEGMENT = 262_144
GRACE_SECONDS = 600.0
"""A file this young may belong to a build under way in another process."""


@dataclass(frozen=True, slots=True)
class Codec(Generic[Payload]):
    """How payload bytes become something to search, in memory and on disk."""

    decode: Callable[[list[bytes]], Payload]
    """For the tail, in memory."""
    arrays: Callable[[list[bytes]], dict[str, Array]]
    """For a segment, on disk."""
    mapped: Callable[[dict[str, Array]], Payload]
    tail_rows: int
    """How many rows the tail may have before they are worth a segment."""


@dataclass(frozen=True, slots=True)
class Part(Generic[Payload]):
    """A stretch of the log, immutable; a change makes a new one, so that a search under way keeps its view."""

    name: str
    """Of the segment file; empty for a stretch in memory."""
    rows: Ints
    chunks: Ints
    documents: Ints
    alive: Mask
    payload: Payload
    blobs: list[bytes]
    """What a stretch in memory was made from."""

    @property
    def all_alive(self) -> bool:
        return bool(self.alive.all())


class Log(Generic[Payload]):
    def __init__(self, table: str, folder: Path, codec: Codec[Payload]) -> None:
        self._table = table
        self._folder = folder
        self._codec = codec
        self._lock = threading.Lock()
        self._parts: tuple[Part[Payload], ...] = ()
        self._segments: tuple[tuple[str, int, int], ...] = ()
        self._generation = 0
        self._last_row = 0
        self._last_dead = 0

    def view(self, connection: apsw.Connection) -> tuple[Part[Payload], ...]:
        """The log as the connection's transaction sees it."""
        with self._lock:
            self._refresh(connection)
            return self._parts

    def _refresh(self, connection: apsw.Connection) -> None:
        generation, newest, newest_dead = connection.execute(
            f"""SELECT coalesce((SELECT value FROM meta WHERE key = 'generation:{self._table}'), 0),
                       coalesce((SELECT max(row) FROM {self._table}), 0), coalesce((SELECT max(seq) FROM dead), 0)"""
        ).get
        if generation != self._generation:
            self._reload(connection, int(generation))
        if newest > self._last_row:
            self._append(self._read(connection, self._last_row + 1, newest))
            self._last_row = int(newest)
        if newest_dead > self._last_dead:
            gone = [row for (row,) in connection.execute(
                "SELECT row FROM dead WHERE log = ? AND seq > ?", (self._table, self._last_dead))]  # fmt: skip
            self._bury(gone)
            self._last_dead = int(newest_dead)

    def _reload(self, connection: apsw.Connection, generation: int) -> None:
        """Segments came or went: map the new ones, keep the mapped ones, and start the tail and the dead again."""
        mapped = {part.name: part for part in self._parts if part.name}
        parts: list[Part[Payload]] = []
        last = 0
        for name, first, last in connection.execute(
            "SELECT name, first, last FROM segment WHERE log = ? ORDER BY first", (self._table,)
        ):
            parts.append(mapped.get(name) or self._open(connection, name, first, last))
        self._parts = tuple(replace(part, alive=np.ones(len(part.rows), dtype=np.bool_)) for part in parts)
        self._generation = generation
        self._last_row = last
        self._last_dead = 0

    def _open(self, connection: apsw.Connection, name: str, first: int, last: int) -> Part[Payload]:
        try:
            arrays = dict(map_segment(self._folder, name).arrays)
        except SegmentLost:
            # Slower, but right; the next maintenance builds the segment again.
            return self._stretch(self._read(connection, first, last))
        rows = arrays.pop("row")
        everyone = np.ones(len(rows), dtype=np.bool_)
        return Part(name, rows, arrays.pop("chunk"), arrays.pop("document"), everyone, self._codec.mapped(arrays), [])

    def _append(self, rows: Sequence[tuple[int, int, int, bytes]]) -> None:
        if not rows:
            return
        parts = [*self._parts, self._stretch(rows)]
        tail = [part for part in parts if not part.name]
        if len(tail) > _TAIL_PARTS:
            parts = [part for part in parts if part.name] + [self._joined(tail)]
        self._parts = tuple(parts)

    def _stretch(self, rows: Sequence[tuple[int, int, int, bytes]]) -> Part[Payload]:
        numbers = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        blobs = [row[3] for row in rows]
        alive = np.ones(len(rows), dtype=np.bool_)
        columns = np.ascontiguousarray(numbers.T)
        return Part("", columns[0], columns[1], columns[2], alive, self._codec.decode(blobs), blobs)

    def _joined(self, tail: list[Part[Payload]]) -> Part[Payload]:
        blobs = [blob for part in tail for blob in part.blobs]
        together = [np.concatenate(column) for column in zip(
            *((part.rows, part.chunks, part.documents, part.alive) for part in tail), strict=True)]  # fmt: skip
        rows, chunks, documents, alive = together
        return Part("", rows, chunks, documents, alive.astype(np.bool_), self._codec.decode(blobs), blobs)

    def _bury(self, gone: Iterable[int]) -> None:
        dead = np.fromiter(gone, dtype=np.int64)
        if not len(dead):
            return
        parts: list[Part[Payload]] = []
        for part in self._parts:
            places = np.searchsorted(part.rows, dead)
            inside = places < len(part.rows)
            hit = places[inside][part.rows[places[inside]] == dead[inside]]
            if len(hit):
                alive = part.alive.copy()
                alive[hit] = False
                part = replace(part, alive=alive)
            parts.append(part)
        self._parts = tuple(parts)

    def _read(self, connection: apsw.Connection, first: int, last: int) -> list[tuple[int, int, int, bytes]]:
        return list(
            connection.execute(
                f"SELECT row, chunk, document, payload FROM {self._table} WHERE row BETWEEN ? AND ? ORDER BY row",
                (first, last),
            )
        )

    # Maintenance

    def due(self, connection: apsw.Connection) -> tuple[int, int] | None:
        """The range of rows that deserves a new segment, if any."""
        segments: list[tuple[int, int, int, int]] = []
        for name, first, last, rows in connection.execute(
            "SELECT name, first, last, rows FROM segment WHERE log = ? ORDER BY first", (self._table,)
        ):
            dead = connection.execute(
                "SELECT count(*) FROM dead WHERE log = ? AND row BETWEEN ? AND ?", (self._table, first, last)
            ).get
            try:
                map_segment(self._folder, name)
            except SegmentLost:
                dead = rows
            segments.append((first, last, rows, dead))
        covered = segments[-1][1] if segments else 0
        tail, newest = connection.execute(
            f"SELECT count(*), coalesce(max(row), 0) FROM {self._table} WHERE row > ?",
            (covered,),
        ).get
        return plan(segments, tail, newest, self._codec.tail_rows)

    def build(self, connection: apsw.Connection, first: int, last: int) -> tuple[str, int]:
        """Write a segment of the rows in the range; the caller registers it. Empty name when no row is left."""
        rows = self._read(connection, first, last)
        if not rows:
            return "", 0
        numbers = np.array([row[:3] for row in rows], dtype=np.int64)
        arrays: dict[str, Array] = {
            "row": numbers[:, 0],
            "chunk": numbers[:, 1],
            "document": numbers[:, 2],
            **self._codec.arrays([row[3] for row in rows]),
        }
        return write_segment(self._folder, arrays), len(rows)

    def register(self, db: apsw.Connection, name: str, first: int, last: int, rows: int, seen_dead: int) -> None:
        """Put the new segment in the place of those it covers; runs inside a write transaction."""
        db.execute("DELETE FROM segment WHERE log = ? AND first >= ? AND last <= ?", (self._table, first, last))
        if name:
            db.execute(
                "INSERT INTO segment (name, log, first, last, rows) VALUES (?, ?, ?, ?, ?)",
                (name, self._table, first, last, rows),
            )
        # Rows that died before the build are in no segment any more. Nothing may be forgotten that a tail still holds,
        # and no tail holds rows a segment covers, because every view reloads when the generation moves on.
        db.execute(
            "DELETE FROM dead WHERE log = ? AND seq <= ? AND row BETWEEN ? AND ?", (self._table, seen_dead, first, last)
        )
        bump_generation(db, self._table)

    def sweep(self, connection: apsw.Connection, now: float) -> None:
        keep = {name for (name,) in connection.execute("SELECT name FROM segment")}
        sweep(self._folder, keep, now - GRACE_SECONDS)


def bump_generation(connection: apsw.Connection, table: str) -> None:
    connection.execute(
        "INSERT INTO meta VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1", (f"generation:{table}",)
    )


def plan(
    segments: Sequence[tuple[int, int, int, int]], tail: int, newest: int, tail_rows: int
) -> tuple[int, int] | None:
    """Which rows to build next, from (first, last, rows, dead) of each segment and the size of the tail.

    The tail takes its smaller neighbours with it, so that sizes stay apart by factors and there are few segments; a
    segment that is mostly dead is built again alone.
    """
    if tail >= tail_rows:
        first = segments[-1][1] + 1 if segments else 0
        size = tail
        for begin, _, rows, dead in reversed(segments):
            if rows - dead > 2 * size or rows - dead + size > LARGEST_SEGMENT:
                break
            first, size = begin, size + rows - dead
        return first, newest
    for first, last, rows, dead in segments:
        if 3 * dead > rows:
            return first, last
    return None


def allowed_rows(part: Part[Any], documents: Mask | None) -> Mask | None:
    """Which rows of a part may be shown; None means all of them."""
    if documents is None:
        return None if part.all_alive else part.alive
    known = part.documents < len(documents)
    return part.alive & known & documents[np.where(known, part.documents, 0)]


def document_mask(rows: Sequence[int]) -> Mask:
    mask = np.zeros(max(rows, default=0) + 1, dtype=np.bool_)
    mask[np.asarray(rows, dtype=np.int64)] = True
    return mask

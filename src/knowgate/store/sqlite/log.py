"""A search log: rows in order of writing, most of them in mapped segments, the newest in memory, the dead masked.

The tables `words` and `vector` have the same shape (row, chunk, document, payload), so text and vectors share all of
this and differ only in how payloads become something to search (their codec).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import apsw
import numpy as np
import numpy.typing as npt

from knowgate.store.port import Damage
from knowgate.store.sqlite.schema import count_up
from knowgate.store.sqlite.segment import Array, SegmentLost, map_segment, sweep, write_segment

Payload = TypeVar("Payload")
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_TAIL_PARTS = 8
"""How many stretches the tail may have in memory before they become one."""
LARGEST_SEGMENT = 262_144
GRACE_SECONDS = 600.0
"""A file this young may belong to a build under way in another process."""
_REBUILD = "Nothing is lost: delete the file, and the next `knowgate ingest` builds it again."
_LAST_DEAD_SQL = "coalesce((SELECT max(seq) FROM dead), 0)"


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
    """Of the segment; empty for a stretch of the tail."""
    rows: Ints
    chunks: Ints
    documents: Ints
    alive: Mask
    payload: Payload
    blobs: list[bytes]
    """What a stretch of the tail was made from."""

    @property
    def all_alive(self) -> bool:
        return bool(self.alive.all())


class Stretch(NamedTuple):
    """A range of rows that has a segment, or should get one."""

    first: int
    last: int
    living: int
    due: bool
    """For building: lost, mostly dead, or a tail that is long enough."""


@dataclass(frozen=True, slots=True)
class Built:
    """A segment file not yet registered, and the state of the log it was made from."""

    name: str
    """Empty when no row was left."""
    first: int
    last: int
    rows: int
    generation: int
    last_dead: int


class Log(Generic[Payload]):
    def __init__(self, table: str, folder: Path, codec: Codec[Payload]) -> None:
        self._table = table
        self._generation_sql = f"coalesce((SELECT value FROM meta WHERE key = 'generation:{table}'), 0)"
        self._folder = folder
        self._codec = codec
        self._lock = threading.Lock()
        self._parts: tuple[Part[Payload], ...] = ()
        self._generation = 0
        self._last_row = 0
        self._last_dead = 0

    def view(self, connection: apsw.Connection) -> tuple[Part[Payload], ...]:
        """The log as the connection's transaction sees it. To be the first read of the transaction: begun under the
        lock, no transaction sees less than an earlier one did, so a view never has to go back."""
        with self._lock:
            self._refresh(connection)
            return self._parts

    def _refresh(self, connection: apsw.Connection) -> None:
        generation, newest_dead, newest = connection.execute(
            f"SELECT {self._generation_sql}, {_LAST_DEAD_SQL}, coalesce((SELECT max(row) FROM {self._table}), 0)"
        ).get
        if generation != self._generation:
            self._reload(connection, generation)
        if newest > self._last_row:
            self._append(self._read(connection, self._last_row + 1, newest))
            self._last_row = newest
        if newest_dead > self._last_dead:
            gone = [row for (row,) in connection.execute(
                "SELECT row FROM dead WHERE log = ? AND seq > ?", (self._table, self._last_dead))]  # fmt: skip
            self._bury(gone)
            self._last_dead = newest_dead

    def _reload(self, connection: apsw.Connection, generation: int) -> None:
        """Segments came or went: map the new ones, keep the mapped ones, and start the tail and the dead again."""
        mapped = {part.name: part for part in self._parts if part.name}
        parts: list[Part[Payload]] = []
        last = 0
        for name, first, last in connection.execute(
            "SELECT name, first, last FROM segment WHERE log = ? ORDER BY first", (self._table,)
        ):
            if part := mapped.get(name) or self._open(connection, name, first, last):
                parts.append(part)
        self._parts = tuple(replace(part, alive=np.ones(len(part.rows), dtype=np.bool_)) for part in parts)
        self._generation = generation
        self._last_row = last
        self._last_dead = 0

    def _open(self, connection: apsw.Connection, name: str, first: int, last: int) -> Part[Payload] | None:
        try:
            arrays = map_segment(self._folder, name)
        except SegmentLost:
            # Slower, but right; the next maintenance builds the segment again.
            rows = self._read(connection, first, last)
            return replace(self._stretch(rows), name=name, blobs=[]) if rows else None
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
        """One stretch of several, freed of the dead: documents that are written again and again leave many."""
        alive = np.concatenate([part.alive for part in tail])
        blobs = list(compress(chain.from_iterable(part.blobs for part in tail), alive.tolist()))
        rows, chunks, documents = (
            np.concatenate(column)[alive]
            for column in zip(*((part.rows, part.chunks, part.documents) for part in tail), strict=True)
        )
        return Part("", rows, chunks, documents, alive[alive], self._codec.decode(blobs), blobs)

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
        segments: list[Stretch] = []
        for name, first, last, rows, dead in connection.execute(
            "SELECT name, first, last, rows,"
            " (SELECT count(*) FROM dead WHERE dead.log = segment.log AND row BETWEEN first AND last)"
            " FROM segment WHERE log = ? ORDER BY first",
            (self._table,),
        ):
            segments.append(Stretch(first, last, rows - dead, 3 * dead > rows or self._lost(name)))
        covered = segments[-1].last if segments else 0
        # The dead of the tail count too: views carry them until the next segment.
        last, size, living = connection.execute(
            f"""SELECT coalesce(max(row), 0), count(*), coalesce(sum(living), 0) FROM (
                    SELECT row, 1 AS living FROM {self._table} WHERE row > ?1
                    UNION ALL SELECT row, 0 FROM dead WHERE log = ?2 AND row > ?1
                    ORDER BY row LIMIT {LARGEST_SEGMENT})""",
            (covered, self._table),
        ).get
        return plan(segments, Stretch(covered + 1, last, living, size >= self._codec.tail_rows))

    def check(self, connection: apsw.Connection) -> list[Damage]:
        """Segments with changed bytes, which only reading all of them can tell."""
        names = connection.execute("SELECT name FROM segment WHERE log = ?", (self._table,))
        return [
            Damage(f"The file {self._folder / name} is damaged.", _REBUILD)
            for (name,) in names
            if not self._lost(name) and self._lost(name, thorough=True)
        ]

    def _lost(self, name: str, thorough: bool = False) -> bool:
        try:
            map_segment(self._folder, name, thorough)
        except SegmentLost:
            return True
        return False

    def build(self, connection: apsw.Connection, first: int, last: int) -> Built:
        """Write a segment of the rows in the range, to be registered in a write transaction."""
        generation, last_dead = connection.execute(f"SELECT {self._generation_sql}, {_LAST_DEAD_SQL}").get
        rows = self._read(connection, first, last)
        name = self._write(rows) if rows else ""
        return Built(name, first, last, len(rows), generation, last_dead)

    def _write(self, rows: Sequence[tuple[int, int, int, bytes]]) -> str:
        numbers = np.array([row[:3] for row in rows], dtype=np.int64)
        arrays: dict[str, Array] = {
            "row": numbers[:, 0],
            "chunk": numbers[:, 1],
            "document": numbers[:, 2],
            **self._codec.arrays([row[3] for row in rows]),
        }
        return write_segment(self._folder, arrays)

    def register(self, db: apsw.Connection, built: Built) -> None:
        """Put the new segment in the place of those it covers; runs inside a write transaction."""
        if db.execute(f"SELECT {self._generation_sql}").get != built.generation:
            # Another builder was first, or the vector space is a new one. The file is left to the sweep.
            return
        covered = (self._table, built.first, built.last)
        db.execute("DELETE FROM segment WHERE log = ? AND first >= ? AND last <= ?", covered)
        if built.name:
            db.execute(
                "INSERT INTO segment (log, first, last, name, rows) VALUES (?, ?, ?, ?, ?)",
                (*covered, built.name, built.rows),
            )
        # Rows that died before the build are in no segment any more. Nothing may be forgotten that a tail still holds,
        # and no tail holds rows a segment covers, because every view reloads when the generation moves on.
        db.execute("DELETE FROM dead WHERE log = ? AND row BETWEEN ? AND ? AND seq <= ?", (*covered, built.last_dead))
        count_up(db, f"generation:{self._table}")

    def sweep(self, connection: apsw.Connection, now: float) -> None:
        keep = {name for (name,) in connection.execute("SELECT name FROM segment")}
        sweep(self._folder, keep, now - GRACE_SECONDS)


def plan(segments: Sequence[Stretch], tail: Stretch) -> tuple[int, int] | None:
    """Which rows to build next, if any.

    The tail takes its smaller neighbours with it, so that sizes stay apart by factors and there are few segments; a
    segment that is lost or mostly dead is built again alone.
    """
    if tail.due:
        first, size = tail.first, tail.living
        for segment in reversed(segments):
            if segment.living > 2 * size or segment.living + size > LARGEST_SEGMENT:
                break
            first, size = segment.first, size + segment.living
        return first, tail.last
    return next(((segment.first, segment.last) for segment in segments if segment.due), None)


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

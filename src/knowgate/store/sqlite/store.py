"""The embedded store: one SQLite file is the truth, segment files beside it make searching fast."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import apsw
import orjson

from knowgate.errors import StorageError
from knowgate.model import EVERYTHING, Chunk, Document, EmbedderIdentity, Filter
from knowgate.store.port import Batch, Damage, Matrix, Pending, Record, Scored, Space, Stats, Vector
from knowgate.store.sqlite import writes
from knowgate.store.sqlite.connection import Database
from knowgate.store.sqlite.graph import GraphTables
from knowgate.store.sqlite.log import Log, Mask, document_mask
from knowgate.store.sqlite.retrieve import VECTOR_CODEC, WORD_CODEC, Found, find_nearest, find_words
from knowgate.store.sqlite.rows import CHUNK_COLUMNS, DOCUMENT_COLUMNS, chunk_from, document_from
from knowgate.store.sqlite.schema import count_up
from knowgate.store.sqlite.vectors import unpack_vectors
from knowgate.store.sqlite.where import where_sql
from knowgate.store.words import query_terms, text_terms

_MAINTENANCE_SECONDS = 300.0
_SPARE_PAGES, _PAGES_AT_ONCE = 2_000, 8_000
"""Of 4 KB: how many free ones a file keeps for what comes next, and how many are given back in one breath."""
_DAMAGED = "Move the data folder away, then `knowgate import` your last export or ingest the documents again."


class SqliteStore(GraphTables):
    visibility_lag = 0.0

    def __init__(self, folder: Path, sync: Literal["normal", "full"] = "normal") -> None:
        self.folder = folder
        self._database = Database(folder / "store.db", sync)
        self._words = Log("words", folder / "segments", WORD_CODEC)
        self._vectors = Log("vector", folder / "segments", VECTOR_CODEC)

    def apply(self, batch: Batch) -> None:
        # Counting words is the costly part, and needs no lock.
        terms = [
            [text_terms(" ".join((*chunk.headings, chunk.text))) for chunk in write.chunks] for write in batch.documents
        ]
        with self._database.write() as db:
            for record in batch.holds:
                writes.check_record(db, record)
            for document_id in batch.delete:
                writes.delete_document(db, document_id)
            for write, found in zip(batch.documents, terms, strict=True):
                writes.put_document(db, write, found)
            if batch.documents or batch.delete:
                count_up(db, "graph")
            for vectors in batch.vectors:
                writes.put_vectors(db, vectors)
            for record in batch.records:
                writes.put_record(db, record)
            db.executemany("DELETE FROM record WHERE kind = ? AND id = ?", batch.drop)

    # Documents and their passages

    def documents(self, ids: Sequence[str]) -> dict[str, Document]:
        return {document.id: document for document in self._documents(Filter(ids=tuple(ids)), "", -1)}

    def scan_documents(self, where: Filter = EVERYTHING, after: str = "", limit: int = 100) -> list[Document]:
        return self._documents(where, after, limit)

    def _documents(self, where: Filter, after: str, limit: int) -> list[Document]:
        condition, arguments = where_sql(where)
        name, _, last = after.rpartition("\x00")  # a name may hold one, an id does not
        with self._database.read() as db:
            return [
                document_from(row)
                for row in db.execute(
                    f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE (name, id) > (?, ?) AND {condition}"
                    " ORDER BY name, id LIMIT ?",
                    (name, last, *arguments, limit),
                )
            ]

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        asked = set(ids)
        wanted = orjson.dumps([id.rpartition(":")[::2] for id in asked]).decode()
        with self._database.read() as db:
            found = db.execute(
                f"SELECT {CHUNK_COLUMNS} FROM json_each(?) wanted JOIN document ON document.id = wanted.value ->> 0"
                " JOIN chunk ON chunk.document = document.row"
                " AND chunk.ordinal = CAST(wanted.value ->> 1 AS INTEGER)",
                (wanted,),
            )
            # "doc:x" and "doc:00" are not "doc:0", whatever a cast makes of them.
            return {chunk.id: chunk for chunk in map(chunk_from, found) if chunk.id in asked}

    def document_chunks(self, document_id: str) -> list[Chunk]:
        return self._chunks("document.id = ?", (document_id,), -1, 0)

    def scan_chunks(self, where: Filter = EVERYTHING, offset: int = 0, limit: int = 100) -> list[Chunk]:
        condition, arguments = where_sql(where)
        return self._chunks(condition, arguments, limit, offset)

    def _chunks(self, condition: str, arguments: Sequence[Any], limit: int, offset: int) -> list[Chunk]:
        with self._database.read() as db:
            found = db.execute(
                f"SELECT {CHUNK_COLUMNS} FROM document CROSS JOIN chunk ON chunk.document = document.row"
                f" WHERE {condition} ORDER BY document.name, document.id, chunk.ordinal LIMIT ? OFFSET ?",
                (*arguments, limit, offset),
            )
            return [chunk_from(row) for row in found]

    # Search

    def search_text(self, query: str, k: int, where: Filter = EVERYTHING) -> list[Scored]:
        with self._database.read() as db:
            return self._scored(db, find_words(self._words.view(db), query_terms(query), k, self._mask(db, where)))

    def search_vector(self, vector: Vector, k: int, where: Filter = EVERYTHING) -> list[Scored]:
        with self._database.read() as db:

            def fetch(rows: list[int]) -> dict[int, bytes]:
                wanted = orjson.dumps(rows).decode()
                return dict(
                    db.execute(
                        "SELECT vector.row, payload FROM json_each(?) wanted JOIN vector ON vector.row = wanted.value",
                        (wanted,),
                    )
                )

            return self._scored(db, find_nearest(self._vectors.view(db), vector, k, self._mask(db, where), fetch))

    def _mask(self, db: apsw.Connection, where: Filter) -> Mask | None:
        if where == EVERYTHING:
            return None
        condition, arguments = where_sql(where)
        return document_mask([row for (row,) in db.execute(f"SELECT row FROM document WHERE {condition}", arguments)])

    def _scored(self, db: apsw.Connection, found: Found) -> list[Scored]:
        rows = orjson.dumps([row for row, _ in found]).decode()
        names = dict(
            db.execute(
                "SELECT chunk.row, document.id || ':' || chunk.ordinal FROM json_each(?) wanted"
                " JOIN chunk ON chunk.row = wanted.value JOIN document ON document.row = chunk.document",
                (rows,),
            )
        )
        return [Scored(names[row], score) for row, score in found if row in names]

    # Vectors

    def space(self) -> Space | None:
        with self._database.read() as db:
            return writes.current_space(db)

    def start_space(self, identity: EmbedderIdentity) -> Space:
        with self._database.write() as db:
            before = writes.current_space(db)
            space = Space(identity, before.generation + 1 if before else 1)
            writes.start_space(db, space)
        return space

    def pending(self, limit: int, after: str = "", among: Sequence[str] | None = None) -> list[Pending]:
        named = "" if among is None else " AND id IN (SELECT value FROM json_each(?))"
        ids = [] if among is None else [orjson.dumps(among).decode()]
        with self._database.read() as db:
            waiting = list(
                db.execute(
                    f"SELECT row, id, embedded FROM document WHERE embedded < chunks AND id > ?{named}"
                    " ORDER BY id LIMIT ?",
                    (after, *ids, limit),
                )
            )
            return [
                Pending(id, writes.revision(db, row), self.document_chunks(id)[embedded:])
                for row, id, embedded in waiting
            ]

    def document_vectors(self, document_id: str) -> Matrix | None:
        with self._database.read() as db:
            blobs = [
                payload
                for (payload,) in db.execute(
                    "SELECT payload FROM document JOIN chunk ON chunk.document = document.row"
                    " JOIN vector ON vector.chunk = chunk.row"
                    " WHERE document.id = ? AND embedded = document.chunks ORDER BY ordinal",
                    (document_id,),
                )
            ]
        return unpack_vectors(blobs) if blobs else None

    # Records

    def record(self, kind: str, id: str) -> Record | None:
        with self._database.read() as db:
            found = db.execute("SELECT value, version FROM record WHERE kind = ? AND id = ?", (kind, id)).get
        return Record(kind, id, orjson.loads(found[0]), found[1]) if found else None

    def put_if(self, record: Record, expected_version: int) -> Record | None:
        with self._database.write() as db:
            stored = db.execute("SELECT version FROM record WHERE kind = ? AND id = ?", (record.kind, record.id)).get
            if (stored or 0) != expected_version:
                return None
            version = writes.put_record(db, record)
        return Record(record.kind, record.id, record.value, version)

    def scan_records(self, kind: str, prefix: str = "", after: str = "", limit: int = 1000) -> list[Record]:
        with self._database.read() as db:
            return [
                Record(kind, id, orjson.loads(value), version)
                for id, value, version in db.execute(
                    "SELECT id, value, version FROM record WHERE kind = ? AND id > ? AND id >= ? AND id < ?"
                    " ORDER BY id LIMIT ?",
                    (kind, after, prefix, prefix + "\U0010ffff", limit),
                )
            ]

    # House-keeping

    def stats(self, where: Filter = EVERYTHING) -> Stats:
        condition, arguments = where_sql(where)
        totals = (
            "count(*), coalesce(sum(chunks), 0), coalesce(sum(embedded), 0),"
            " coalesce(sum(embedded < chunks), 0), total(size)"
        )
        with self._database.read() as db:
            counts = map(int, db.execute(f"SELECT {totals} FROM document WHERE {condition}", arguments).get)
            by_type = db.execute(f"SELECT type, count(*) FROM document WHERE {condition} GROUP BY type", arguments)
            return Stats(*counts, by_type=dict(by_type))

    def refresh(self) -> None:
        """Writes are visible when they are acknowledged."""

    def maintain(self) -> None:
        for log in (self._words, self._vectors):
            while self._build_next(log):
                pass
        with self._database.read() as db:
            self._words.sweep(db, time.time())
            free = int(str(db.pragma("freelist_count")))
        if free > _SPARE_PAGES:
            with self._database.write() as db:
                # It does so step by step, for as long as it is asked.
                for _ in db.execute(f"PRAGMA incremental_vacuum({min(free - _SPARE_PAGES, _PAGES_AT_ONCE)})"):
                    pass

    def _build_next(self, log: Log[Any]) -> bool:
        with self._database.read() as db:
            due = log.due(db)
        if due is None or not self._lease_maintenance():
            return False
        try:
            with self._database.read() as db:
                built = log.build(db, *due)
            with self._database.write() as db:
                log.register(db, built)
        finally:
            self.apply(Batch(drop=[("lease", "maintenance")]))
        return True

    def _lease_maintenance(self) -> bool:
        """Two builders would do no harm, only the same work twice."""
        held = self.record("lease", "maintenance")
        if held and held.value["until"] > time.time():
            return False
        until = time.time() + _MAINTENANCE_SECONDS
        lease = Record("lease", "maintenance", {"holder": uuid.uuid4().hex, "until": until})
        return self.put_if(lease, held.version if held else 0) is not None

    def ready(self) -> None:
        self.record("ready", "ready")

    def check(self, thorough: bool = False) -> list[Damage]:
        pragma = "integrity_check" if thorough else "quick_check"
        found: list[Damage] = []
        try:
            with self._database.read() as db:
                found += [Damage(str(line), _DAMAGED) for (line,) in db.execute(f"PRAGMA {pragma}") if line != "ok"]
                for row in db.execute("PRAGMA foreign_key_check"):
                    found.append(Damage(f"A row of {row[0]} points to nothing.", _DAMAGED))
                if thorough:
                    found += self._words.check(db) + self._vectors.check(db)
        except StorageError as error:
            # So damaged that even the check stumbles over it.
            found.append(Damage(error.message, error.fix))
        return found

    def close(self) -> None:
        self._database.close()

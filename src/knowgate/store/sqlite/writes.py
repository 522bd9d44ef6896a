"""What a batch does to the tables. Every function runs inside the caller's write transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
import orjson

from knowgate.errors import ConflictError
from knowgate.model import Chunk, EmbedderIdentity
from knowgate.store.port import DocumentWrite, Record, Space, VectorWrite
from knowgate.store.sqlite.facts import put_facts
from knowgate.store.sqlite.postings import pack_terms
from knowgate.store.sqlite.rows import chunk_values, document_values
from knowgate.store.sqlite.schema import count_up
from knowgate.store.sqlite.vectors import pack_vectors

_PUT_DOCUMENT = """
    INSERT INTO document (id, name, source, type, mime, title, sha256, recipe, size, owner, modified_at, indexed_at,
                          fields, warnings, chunks, embedded)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      (name, source, type, mime, title, sha256, recipe, size, owner, modified_at, indexed_at,
       fields, warnings, chunks, embedded)
    = (excluded.name, excluded.source, excluded.type, excluded.mime, excluded.title, excluded.sha256, excluded.recipe,
       excluded.size, excluded.owner, excluded.modified_at, excluded.indexed_at,
       excluded.fields, excluded.warnings, excluded.chunks, excluded.embedded)
    RETURNING row"""


def put_document(db: apsw.Connection, write: DocumentWrite, terms: Sequence[Sequence[int]]) -> None:
    document, chunks = write.document, write.chunks
    known, embedded = db.execute("SELECT row, embedded FROM document WHERE id = ?", (document.id,)).get or (None, 0)
    same = known is not None and _passages(db, known) == [chunk_values(known, chunk) for chunk in chunks]
    if not same:
        db.execute("DELETE FROM chunk WHERE document = ?", (known,))
    try:
        row = db.execute(_PUT_DOCUMENT, (*document_values(document), len(chunks), embedded if same else 0)).get
    except apsw.ConstraintError as error:
        raise ConflictError(
            "source_taken",
            f"Another document already comes from {document.source}.",
            "Delete that one first, or give this one another name.",
        ) from error
    if not same:
        _put_passages(db, row, chunks, terms)
    put_facts(db, row, write.facts)


def _passages(db: apsw.Connection, document: int) -> list[tuple[Any, ...]]:
    """As `chunk_values` gives them."""
    return list(
        db.execute(
            'SELECT document, ordinal, text, headings, start, "end", page, tokens FROM chunk WHERE document = ?'
            " ORDER BY ordinal",
            (document,),
        )
    )


def _put_passages(db: apsw.Connection, row: int, chunks: Sequence[Chunk], terms: Sequence[Sequence[int]]) -> None:
    chunk_rows = [
        db.execute(
            'INSERT INTO chunk (document, ordinal, text, headings, start, "end", page, tokens)'
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING row",
            chunk_values(row, chunk),
        ).get
        for chunk in chunks
    ]
    db.executemany(
        "INSERT INTO words (chunk, document, payload) VALUES (?, ?, ?)",
        [(chunk_row, row, pack_terms(found)) for chunk_row, found in zip(chunk_rows, terms, strict=True)],
    )


def delete_document(db: apsw.Connection, document_id: str) -> None:
    db.execute("DELETE FROM document WHERE id = ?", (document_id,))


def put_vectors(db: apsw.Connection, write: VectorWrite) -> None:
    """Nothing happens when the document changed, or the vector space did, since its passages were handed out."""
    space = current_space(db)
    found = db.execute("SELECT row, chunks, embedded FROM document WHERE id = ?", (write.document_id,)).get
    if space is None or space.generation != write.generation or found is None:
        return
    document, chunks, embedded = found
    if embedded != write.first or revision(db, document) != write.revision:
        return
    count = len(write.vectors)
    if write.vectors.shape != (count, space.identity.dimension) or not 0 < count <= chunks - embedded:
        raise ConflictError(
            "wrong_vectors",
            f"The vectors of {write.document_id} have the shape {write.vectors.shape}, but {chunks - embedded} passages"
            f" in {space.identity.dimension} dimensions wait for theirs.",
            "Check that the embedder is the one it says it is.",
        )
    rows = db.execute(
        "SELECT row FROM chunk WHERE document = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?",
        (document, embedded, count),
    )
    db.executemany(
        "INSERT INTO vector (chunk, document, payload) VALUES (?, ?, ?)",
        [(row, document, blob) for (row,), blob in zip(rows, pack_vectors(write.vectors), strict=True)],
    )
    db.execute("UPDATE document SET embedded = embedded + ? WHERE row = ?", (count, document))


def revision(db: apsw.Connection, document_row: int) -> str:
    """Changes whenever the passages are written anew, because row numbers are never used twice."""
    return str(db.execute("SELECT min(row) FROM chunk WHERE document = ?", (document_row,)).get)


def check_record(db: apsw.Connection, record: Record) -> None:
    stored = db.execute("SELECT version FROM record WHERE kind = ? AND id = ?", (record.kind, record.id)).get
    if stored != record.version:
        raise ConflictError(
            "record_changed", f"The {record.kind} {record.id} was changed by another process.", "Read it and try again."
        )


def put_record(db: apsw.Connection, record: Record) -> int:
    """The new version. None is used twice: a record dropped and made again is not taken for the one before."""
    version = count_up(db, "record_version")
    db.execute(
        "INSERT INTO record (kind, id, version, value) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, value = excluded.value",
        (record.kind, record.id, version, orjson.dumps(record.value).decode()),
    )
    return version


def current_space(db: apsw.Connection) -> Space | None:
    found = db.execute("SELECT value FROM meta WHERE key = 'space'").get
    if found is None:
        return None
    value = orjson.loads(found)
    return Space(EmbedderIdentity(**value["identity"]), value["generation"])


def start_space(db: apsw.Connection, space: Space) -> None:
    db.execute("DELETE FROM segment WHERE log = 'vector'")
    db.execute("DELETE FROM vector")
    # No view needs them: the generation moves on, and every view starts again.
    db.execute("DELETE FROM dead WHERE log = 'vector'")
    count_up(db, "generation:vector")
    db.execute("UPDATE document SET embedded = 0")
    value = orjson.dumps({"identity": space.identity, "generation": space.generation}).decode()
    db.execute("INSERT OR REPLACE INTO meta VALUES ('space', ?)", (value,))

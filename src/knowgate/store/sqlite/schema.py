"""The tables, as ordered migrations. A migration that was released is never edited; the next one mends it."""

from __future__ import annotations

import apsw

from knowgate.errors import StorageError

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    -- Row numbers are never used twice (AUTOINCREMENT): segments on disk speak of rows.
    CREATE TABLE document (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        source TEXT NOT NULL UNIQUE,
        type TEXT NOT NULL,
        mime TEXT NOT NULL,
        title TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        recipe TEXT NOT NULL,
        size INTEGER NOT NULL,
        owner TEXT NOT NULL,
        modified_at REAL NOT NULL,
        indexed_at REAL NOT NULL,
        fields TEXT NOT NULL,
        warnings TEXT NOT NULL,
        chunks INTEGER NOT NULL,
        embedded INTEGER NOT NULL -- how many of its passages have vectors, counted from the first
    );
    CREATE INDEX document_name ON document (name, id);
    CREATE INDEX document_pending ON document (id) WHERE embedded < chunks;

    CREATE TABLE chunk (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        document INTEGER NOT NULL REFERENCES document (row) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        text TEXT NOT NULL,
        headings TEXT NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        page INTEGER,
        tokens INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX chunk_document ON chunk (document, ordinal);

    -- What searching reads, in order of writing. Rows past the last segment are the tail that processes keep in memory.
    CREATE TABLE words (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        chunk INTEGER NOT NULL UNIQUE REFERENCES chunk (row) ON DELETE CASCADE,
        document INTEGER NOT NULL,
        payload BLOB NOT NULL
    );
    CREATE TABLE vector (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        chunk INTEGER NOT NULL UNIQUE REFERENCES chunk (row) ON DELETE CASCADE,
        document INTEGER NOT NULL,
        payload BLOB NOT NULL
    );
    CREATE TABLE segment (
        name TEXT PRIMARY KEY,
        log TEXT NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        rows INTEGER NOT NULL
    ) WITHOUT ROWID;
    -- Rows that a segment or a tail in memory may still hold.
    CREATE TABLE dead (seq INTEGER PRIMARY KEY AUTOINCREMENT, log TEXT NOT NULL, row INTEGER NOT NULL);
    CREATE TRIGGER words_dead AFTER DELETE ON words BEGIN INSERT INTO dead (log, row) VALUES ('words', old.row); END;
    CREATE TRIGGER vector_dead AFTER DELETE ON vector BEGIN INSERT INTO dead (log, row) VALUES ('vector', old.row); END;

    CREATE TABLE record (
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        version INTEGER NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;
    """,
    """
    -- What each document adds to the graph: names it defines, entities it names, relations it states, and clues.
    CREATE TABLE name (
        key TEXT NOT NULL,
        chunk INTEGER NOT NULL,
        document INTEGER NOT NULL REFERENCES document (row) ON DELETE CASCADE,
        weight REAL NOT NULL,
        PRIMARY KEY (key, chunk)
    ) WITHOUT ROWID;
    CREATE INDEX name_document ON name (document);
    CREATE TABLE mention (
        key TEXT NOT NULL,
        chunk INTEGER NOT NULL,
        document INTEGER NOT NULL REFERENCES document (row) ON DELETE CASCADE,
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        confidence REAL NOT NULL,
        description TEXT NOT NULL,
        PRIMARY KEY (key, chunk)
    ) WITHOUT ROWID;
    CREATE INDEX mention_document ON mention (document, chunk, confidence);
    CREATE TABLE relation (
        source TEXT NOT NULL,
        target TEXT NOT NULL,
        type TEXT NOT NULL,
        chunk INTEGER NOT NULL,
        document INTEGER NOT NULL REFERENCES document (row) ON DELETE CASCADE,
        confidence REAL NOT NULL,
        description TEXT NOT NULL,
        PRIMARY KEY (source, target, type, chunk)
    ) WITHOUT ROWID;
    CREATE INDEX relation_target ON relation (target, source, type, confidence, document);
    CREATE INDEX relation_document ON relation (document);
    CREATE TABLE clue (
        kind TEXT NOT NULL,
        word TEXT NOT NULL,
        key TEXT NOT NULL,
        note TEXT NOT NULL,
        document INTEGER NOT NULL REFERENCES document (row) ON DELETE CASCADE,
        PRIMARY KEY (kind, word, key, note, document)
    ) WITHOUT ROWID;
    CREATE INDEX clue_document ON clue (document);
    """,
)


def migrate(connection: apsw.Connection) -> None:
    """Bring the tables to this version, one migration a transaction; several processes may try at once."""
    while (version := _version(connection)) < len(MIGRATIONS):
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _version(connection) == version:
                connection.execute(MIGRATIONS[version]).fetchall()  # all statements, whatever they give
                connection.pragma("user_version", version + 1)
            connection.execute("COMMIT")
        except BaseException:
            roll_back(connection)
            raise
    if version > len(MIGRATIONS):
        raise StorageError(
            "newer_data",
            f"The data folder was written by a newer Knowgate (format {version}, this one knows {len(MIGRATIONS)}).",
            "Upgrade with `pip install -U knowgate`, or choose another folder with --data.",
        )


def count_up(connection: apsw.Connection, key: str) -> int:
    """The next value of a counter in `meta`; the first is 1."""
    return connection.execute(
        "INSERT INTO meta VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value", (key,)
    ).get


def roll_back(connection: apsw.Connection) -> None:
    # A full disk may already have done it, and a second time would hide why.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _version(connection: apsw.Connection) -> int:
    return int(str(connection.pragma("user_version")))

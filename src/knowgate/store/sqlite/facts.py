"""A document's facts as rows."""

from __future__ import annotations

import apsw

from knowgate.store.port import Facts

_TABLES = ("name", "mention", "relation", "clue")


def put_facts(db: apsw.Connection, document: int, facts: Facts) -> None:
    """Instead of those that the document had."""
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
    rows = dict(db.execute("SELECT ordinal, row FROM chunk WHERE document = ?", (document,)))
    db.executemany(
        "INSERT OR IGNORE INTO name (key, chunk, document, weight) VALUES (?, ?, ?, ?)",
        [(each.key, rows[each.ordinal], document, each.weight) for each in facts.names],
    )
    db.executemany(
        "INSERT OR IGNORE INTO mention (key, chunk, document, name, type, confidence, description)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (each.key, rows[each.ordinal], document, each.name, each.type, each.confidence, each.description)
            for each in facts.mentions
        ],
    )
    db.executemany(
        "INSERT OR IGNORE INTO relation (source, target, type, chunk, document, confidence, description)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (each.source, each.target, each.type, rows[each.ordinal], document, each.confidence, each.description)
            for each in facts.links
        ],
    )
    db.executemany(
        "INSERT OR IGNORE INTO clue (kind, word, key, note, document) VALUES (?, ?, ?, ?, ?)",
        [(each.kind, each.word, each.key, each.note, document) for each in facts.clues],
    )

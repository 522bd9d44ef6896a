"""One number for what an index holds, to compare two of them."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from knowgate.knowledge.portable.form import chunk_line, document_line, facts_line
from knowgate.knowledge.portable.whole import document_ids, read_whole
from knowgate.store.port import Facts, Store


def content_digest(store: Store) -> str:
    """SHA-256 over documents, passages, facts and how many vectors there are; not over when they were indexed."""
    digest = hashlib.sha256()
    for id in document_ids(store):
        whole = read_whole(store, id, vectors=True)
        if whole is None:
            continue
        digest.update(document_line(replace(whole.document, indexed_at=0.0)))
        for chunk in whole.chunks:
            digest.update(chunk_line(chunk))
        digest.update(facts_line(id, whole.facts or Facts()))
        digest.update(b"%d\n" % (0 if whole.vectors is None else len(whole.vectors)))
    return digest.hexdigest()

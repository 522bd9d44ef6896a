"""Reading documents out of a store that others go on writing to."""

from __future__ import annotations

import time

from knowgate.errors import StorageError
from knowgate.knowledge.portable.form import Whole
from knowgate.store.port import Store, scan_all_documents

_TRIES = 50
_PAUSE_SECONDS = 0.02


def document_ids(store: Store) -> list[str]:
    """In order; only ids are held, so that a large index fits."""
    return sorted({document.id for document in scan_all_documents(store)})


def read_whole(store: Store, id: str, vectors: bool) -> Whole | None:
    """The port reads a document in several steps. When it is the same before and after them, they belong together:
    whoever writes it anew also stamps it with another time."""
    for _ in range(_TRIES):
        before = store.documents([id]).get(id)
        if before is None:
            return None
        chunks = store.document_chunks(id)
        matrix = store.document_vectors(id) if vectors else None
        facts = store.facts(id)
        fits = len(chunks) == before.chunks and (matrix is None or len(matrix) == len(chunks))
        if fits and store.documents([id]).get(id) == before:
            return Whole(before, chunks, matrix, facts)
        time.sleep(_PAUSE_SECONDS)
    raise StorageError(
        "store_busy",
        f"Document {id} is being written again and again, and could not be read in one piece.",
        "Try again when the ingest under way has finished.",
    )

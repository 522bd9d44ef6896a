"""Operations by meaning: each API is a document of the index, and its passages are its operations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from knowgate.apis.passages import RECIPE, Passage, passage_of
from knowgate.engine.offered import source_of
from knowgate.errors import KnowgateError, StorageError
from knowgate.knowledge.search import POOL, Query
from knowgate.knowledge.sources import document_id
from knowgate.model import Block, Chunk, Document, Filter, Parsed, SearchMode
from knowgate.store.port import Batch, DocumentWrite

if TYPE_CHECKING:
    from knowgate.apis.compiled import Entry
    from knowgate.apis.operation import Api
    from knowgate.rooms import Rooms

_NOT_ACCEPTED = "An operation that nobody has accepted yet"
TYPE, MIME = "api", "application/vnd.oai.openapi"


def find(rooms: Rooms, query: str, among: Sequence[Entry]) -> list[Entry]:
    """Those that fit, the best first: by words at once, by meaning as soon as the passages have their vectors."""
    refresh(rooms)
    places = {name: rooms.apis.catalogue.list(api=name) for name in {entry.api for entry in among}}
    where = Filter(ids=tuple(document_id(source_of(name)) for name in places))

    def found(mode: SearchMode) -> dict[str, float]:
        hits = rooms.search(Query(query, mode=mode, limit=POOL, where=where)).hits
        scored: dict[str, float] = {}
        for hit in hits:
            entries = places[hit.document.source.removeprefix(source_of(""))]
            # A description that another process has replaced meanwhile may have fewer operations.
            if hit.chunk.ordinal < len(entries):
                scored[entries[hit.chunk.ordinal].id] = hit.score
        return scored

    try:
        meant = found("vector")
    except StorageError:
        raise
    except KnowgateError:
        meant = {}  # another embedder, or one that does not answer: words have to do
    return rooms.ranker(query, found("hybrid"), meant, among)


def refresh(rooms: Rooms) -> bool:
    """Write the APIs into the index that have changed since they were written; whether there were any."""
    known = rooms.apis.catalogue.apis
    stored = rooms.store.documents([document_id(source_of(name)) for name in known])
    changed = [
        _document(rooms, api)
        for name, api in known.items()
        if not is_current(rooms, api, stored.get(document_id(source_of(name))))
    ]
    if changed:
        rooms.store.apply(Batch(documents=changed))
        rooms.store.maintain()
    return bool(changed)


def forget(rooms: Rooms, api: str) -> None:
    rooms.store.apply(Batch(delete=[document_id(source_of(api))]))
    rooms.store.maintain()


def is_current(rooms: Rooms, api: Api, stored: Document | None) -> bool:
    return stored is not None and (stored.sha256, stored.recipe) == (_digest(rooms, api), RECIPE)


def _digest(rooms: Rooms, api: Api) -> str:
    """Of what is written of it: when an operation is accepted, it is written anew."""
    waiting = rooms.pins.waiting(rooms.apis.catalogue.list(api=api.name))
    return sha256(" ".join([api.sha256, *sorted(waiting)]).encode()).hexdigest() if waiting else api.sha256


def _document(rooms: Rooms, api: Api) -> DocumentWrite:
    from knowgate.knowledge.graph.facts import document_facts

    id, name = document_id(source_of(api.name)), f"{api.name} (API)"
    catalogue = rooms.apis.catalogue
    text = f"{api.title} {api.version}".strip()
    blocks = [Block("heading", 0, len(text), 1)]
    chunks: list[Chunk] = []
    entries = catalogue.list(api=api.name)
    waiting = rooms.pins.waiting(entries)
    for entry in entries:
        # Nobody reads what nobody accepted, but the others keep their places.
        passage = Passage(_NOT_ACCEPTED, "") if entry.id in waiting else passage_of(catalogue.operation(entry.id))
        text += "\n\n"
        start = len(text)
        text += passage.heading
        blocks.append(Block("heading", start, len(text), 2))
        text += f"\n{passage.text}"
        blocks.append(Block("text", start + len(passage.heading) + 1, len(text)))
        chunks.append(Chunk(f"{id}:{len(chunks)}", id, len(chunks), text[start:], (api.title,), start, len(text)))
    parsed = Parsed(text, tuple(blocks), "json", MIME, f"{api.title} {api.version}".strip())
    now = time.time()
    document = Document(
        id=id,
        name=name,
        source=source_of(api.name),
        type=TYPE,
        mime=MIME,
        title=api.title,
        sha256=_digest(rooms, api),
        recipe=RECIPE,
        size=len(text.encode()),
        owner=rooms.settings.ingest.owner,
        modified_at=now,
        indexed_at=now,
        chunks=len(chunks),
    )
    return DocumentWrite(document, chunks, document_facts(parsed, api.title, chunks, rooms.schema, name))

"""Table rows as the nouns of the model, and back."""

from __future__ import annotations

from typing import Any

import orjson

from knowgate.model import Chunk, Document

DOCUMENT_COLUMNS = (
    "document.id, document.name, document.source, document.type, document.mime, document.title, document.sha256,"
    " document.recipe, document.size, document.owner, document.modified_at, document.indexed_at, document.fields,"
    " document.warnings, document.chunks"
)
CHUNK_COLUMNS = (
    'document.id, chunk.ordinal, chunk.text, chunk.headings, chunk.start, chunk."end", chunk.page, chunk.tokens'
)


def document_from(row: tuple[Any, ...]) -> Document:
    (*plain, fields, warnings, chunks) = row
    return Document(*plain, fields=orjson.loads(fields), warnings=tuple(orjson.loads(warnings)), chunks=chunks)


def document_values(document: Document) -> tuple[Any, ...]:
    """In the order of the table, from `id` to `chunks`."""
    return (
        document.id,
        document.name,
        document.source,
        document.type,
        document.mime,
        document.title,
        document.sha256,
        document.recipe,
        document.size,
        document.owner,
        document.modified_at,
        document.indexed_at,
        orjson.dumps(dict(document.fields)).decode(),
        orjson.dumps(document.warnings).decode(),
    )


def chunk_from(row: tuple[Any, ...]) -> Chunk:
    document_id, ordinal, text, headings, start, end, page, tokens = row
    return Chunk(
        id=f"{document_id}:{ordinal}",
        document_id=document_id,
        ordinal=ordinal,
        text=text,
        headings=tuple(orjson.loads(headings)),
        start=start,
        end=end,
        page=page,
        tokens=tokens,
    )


def chunk_values(document_row: int, chunk: Chunk) -> tuple[Any, ...]:
    headings = orjson.dumps(chunk.headings).decode()
    return (document_row, chunk.ordinal, chunk.text, headings, chunk.start, chunk.end, chunk.page, chunk.tokens)

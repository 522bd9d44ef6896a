"""Documents, passages, vectors and facts as rows of the index, and back."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import orjson

from knowgate.model import Chunk, Document, FieldValue
from knowgate.store.opensearch.schema import LONGEST_WORD, vector_field
from knowgate.store.port import Clue, Facts, Link, Matrix, Mention, Name, Vector
from knowgate.store.words import text_terms

Source = dict[str, Any]
_LONGEST_ID = 200
_STORED = np.dtype("<f2")


def row_id(kind: str, document_id: str, *rest: object) -> str:
    """An index takes ids of up to 512 bytes."""
    name = document_id
    if len(name.encode("utf-8", "surrogatepass")) > _LONGEST_ID:
        name = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return "|".join((kind, name, *map(str, rest)))


def words(*parts: str) -> str:
    """Several words as one that can be taken apart again."""
    return orjson.dumps(parts).decode()


def about(document: Document) -> Source:
    """What filters look at; every row of a document has it, because there are no joins."""
    return {
        "document": document.id,
        "name": document.name[:LONGEST_WORD],
        "source": document.source[:LONGEST_WORD],
        "type": document.type,
        "mime": document.mime,
        "owner": document.owner,
        "modified_at": document.modified_at,
        "fields": [field_word(key, value) for key, value in document.fields.items()],
    }


ABOUT = ("document", "name", "source", "type", "mime", "owner", "modified_at", "fields")


def field_word(key: str, value: FieldValue) -> str:
    """2024 and 2024.0 are one value, "2024" is another."""
    number = None if isinstance(value, str) else float(value)
    return words(key, str(value)) if number is None else orjson.dumps([key, number]).decode()


def document_row(document: Document, chunks: Sequence[Chunk], generation: str) -> Source:
    passages = [asdict(chunk) for chunk in chunks]
    values = about(document)
    kept = asdict(document) | {"fields": dict(document.fields), "chunks": len(chunks)}
    return values | {
        "kind": "document",
        "kept": orjson.dumps(kept).decode(),
        "size": float(document.size),
        "chunks": len(chunks),
        "generation": generation,
        "revision": generation,
        "passages": digest(passages),
        "shape": digest([passages, values]),
        "embedded": 0,
        "space": 0,
        "waiting": bool(chunks),
    }


def document_of(source: Mapping[str, Any]) -> Document:
    values = orjson.loads(source["kept"])
    return Document(**values | {"warnings": tuple(values["warnings"])})


def chunk_row(shared: Source, chunk: Chunk, generation: str) -> Source:
    terms = text_terms(" ".join((*chunk.headings, chunk.text)))
    return shared | {
        "kind": "chunk",
        "generation": generation,
        "ordinal": chunk.ordinal,
        "terms": " ".join(map(str, terms)),
        "kept": orjson.dumps(asdict(chunk)).decode(),
    }


def chunk_of(source: Mapping[str, Any]) -> Chunk:
    values = orjson.loads(source["kept"])
    return Chunk(**values | {"headings": tuple(values["headings"])})


def vector_row(shared: Source, vector: Vector, generation: str, space: int, ordinal: int) -> Source:
    packed = base64.b64encode(np.asarray(vector, _STORED).tobytes()).decode()
    row = shared | {"kind": "vector", "generation": generation, "space": space, "ordinal": ordinal, "kept": packed}
    # A vector of zeros has no direction, and the index refuses it.
    return row | ({vector_field(space, len(vector)): np.asarray(vector, np.float32).tolist()} if np.any(vector) else {})


def with_vector(row: Source) -> Source:
    """A row as it is read lacks what is only searched; a vector is there a second time, packed."""
    if row["kind"] != "vector" or "kept" not in row:
        return row
    (vector,) = vectors_of([row["kept"]])
    return vector_row(row, vector, row["generation"], row["space"], row["ordinal"])


def vectors_of(packed: Sequence[str]) -> Matrix:
    blob = b"".join(base64.b64decode(each) for each in packed)
    return np.frombuffer(blob, _STORED).reshape(len(packed), -1).astype(np.float32)


def facts_row(shared: Source, facts: Facts) -> Source:
    def row(fact: Name | Mention | Link, **more: object) -> Source:
        return {**asdict(fact), "chunk": f"{shared['document']}:{fact.ordinal}", **more}

    return shared | {
        "kind": "facts",
        "names": [row(each) for each in facts.names],
        "mentions": [
            row(
                each,
                weight=int(1000 * each.confidence**4 + 0.5),
                spelling=words(each.key, each.name, each.type),
                called=each.name.casefold()[:LONGEST_WORD],
                told=each.description.casefold()[:LONGEST_WORD],
            )
            for each in facts.mentions
        ],
        "links": [row(each, edge=words(each.source, each.target, each.type)) for each in facts.links],
        "clues": [asdict(each) | {"clue": words(each.kind, each.word, each.key, each.note)} for each in facts.clues],
    }


def facts_of(source: Mapping[str, Any]) -> Facts:
    def each(path: str, *fields: str) -> list[tuple[Any, ...]]:
        return [tuple(row[field] for field in fields) for row in source.get(path, ())]

    names = [Name(*row) for row in each("names", "key", "ordinal", "weight")]
    mentions = [
        Mention(*row) for row in each("mentions", "key", "ordinal", "name", "type", "confidence", "description")
    ]
    links = [Link(*row) for row in each("links", "source", "target", "type", "ordinal", "confidence", "description")]
    clues = [Clue(*row) for row in each("clues", "kind", "word", "key", "note")]
    return Facts(
        sorted(names, key=lambda name: (name.ordinal, name.key)),
        sorted(mentions, key=lambda mention: (mention.ordinal, mention.key)),
        sorted(links, key=lambda link: (link.ordinal, link.source, link.target, link.type)),
        sorted(clues, key=lambda clue: (clue.kind, clue.word, clue.key, clue.note)),
    )


def digest(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value)).hexdigest()

"""The archive's form: its members, its manifest, and the nouns of the model as lines of JSON and back.

Nothing in here depends on the machine or the moment of writing, so the same knowledge gives the same bytes. Keys that
a reader does not know are passed over; whatever cannot be passed over needs a new `VERSION`.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

import numpy as np
import orjson

from knowgate.model import Chunk, Document, EmbedderIdentity, FieldValue
from knowgate.store.port import Facts, Matrix, Record

SUFFIX = ".knowgate.zip"
FORMAT = "knowgate-archive"
VERSION = 2
"""Version 1 had no facts."""
MANIFEST = "manifest.json"
DOCUMENTS = "documents.jsonl"
CHUNKS = "chunks.jsonl"
FACTS = "facts.jsonl"
VECTORS = "vectors.jsonl"
RECORDS = "records.jsonl"

RECORD_KINDS = ("chat", "chat_message", "entity_name", "filter")
"""What else is worth moving. Tasks and leases belong to one store, keys to one server."""

MAX_LINE = 64 << 20
MAX_DOCUMENT = 512 << 20
"""Bytes of one document's passages, again of its facts, and of its vectors: they are in memory together."""

_LARGEST = 2**48
"""For sizes and places in texts: stores add them up in 64 bits."""
_INTEGERS = 2**63
_DOCUMENT_KEYS = sorted(field.name for field in fields(Document))
_CHUNK_KEYS = sorted(field.name for field in fields(Chunk))
_document_values = attrgetter(*_DOCUMENT_KEYS)
_chunk_values = attrgetter(*_CHUNK_KEYS)

Noun = TypeVar("Noun")


@dataclass(frozen=True, slots=True)
class Whole:
    """A document with everything derived from it, as it was at one moment."""

    document: Document
    chunks: list[Chunk]
    vectors: Matrix | None
    facts: Facts | None = None
    """None when it is not known, from an archive of version 1."""


@dataclass(frozen=True, slots=True)
class _FactsLine:
    document_id: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Member:
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Counts:
    documents: int
    chunks: int
    vectors: int
    records: int


@dataclass(frozen=True, slots=True)
class Manifest:
    format: str
    version: int
    knowgate: str
    counts: Counts
    embedder: EmbedderIdentity | None
    members: Mapping[str, Member]


# Nouns as lines


def manifest_text(manifest: Manifest) -> bytes:
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(asdict(manifest), option=options)


def document_line(document: Document) -> bytes:
    value = dict(zip(_DOCUMENT_KEYS, _document_values(document), strict=True))
    # JSON has no infinity, and a store that speaks JSON gives None in its place.
    said = cast(Mapping[str, FieldValue | None], document.fields)
    value["fields"] = {key: field for key, field in said.items() if field is not None and _is_sayable(field)}
    return _line(value)


def chunk_line(chunk: Chunk) -> bytes:
    return _line(dict(zip(_CHUNK_KEYS, _chunk_values(chunk), strict=True)))


def vectors_line(document_id: str, vectors: Matrix | None) -> bytes:
    """Rows as base64 of half precision, which is what stores keep; null while a document waits for its vectors."""
    rows = None if vectors is None else b64encode(vectors.astype("<f2").tobytes()).decode()
    return _line({"document_id": document_id, "vectors": rows})


def facts_line(document_id: str, facts: Facts) -> bytes:
    return _line({"document_id": document_id, "facts": facts})


def record_line(record: Record) -> bytes:
    return _line({"id": record.id, "kind": record.kind, "value": record.value})


def _line(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


# Lines as nouns: ValueError says what is wrong with one


def read_version(manifest: bytes) -> tuple[str, int]:
    """What any version's manifest says first: whose format it is, and which version."""
    match orjson.loads(manifest):
        case {"format": str(format), "version": int(version)}:
            return format, version
        case _:
            raise ValueError("there is no format and version")


def read_manifest(text: bytes) -> Manifest:
    return _validated(Manifest, text)


def read_document(line: bytes) -> Document:
    document = _validated(Document, line)
    _check_id(document.id)
    _check_numbers(document.size, document.chunks)
    if "\x00" in document.name:
        raise ValueError("the name holds a null character")
    if not (math.isfinite(document.modified_at) and math.isfinite(document.indexed_at)):
        raise ValueError("a time is not a number")
    if not all(map(_is_sayable, document.fields.values())):
        raise ValueError("a field holds a number that cannot be kept")
    return document


def read_chunk(line: bytes) -> Chunk:
    chunk = _validated(Chunk, line)
    if chunk.id != f"{chunk.document_id}:{chunk.ordinal}":
        raise ValueError(f"the id {chunk.id!r} is not made of the document's id and the place in it")
    _check_numbers(chunk.ordinal, chunk.start, chunk.end, chunk.tokens, chunk.page or 0)
    if chunk.start > chunk.end:
        raise ValueError("the passage ends before it begins")
    return chunk


def read_vectors(line: bytes, document_id: str, rows: int, dimension: int) -> Matrix | None:
    match orjson.loads(line):
        case {"document_id": str(id), "vectors": None} if id == document_id:
            return None
        case {"document_id": str(id), "vectors": str(encoded)} if id == document_id:
            raw = b64decode(encoded, validate=True)
        case _:
            raise ValueError(f"these are not the vectors of {document_id!r}")
    if not raw or len(raw) != rows * dimension * 2:
        raise ValueError(f"these are not {rows} vectors of {dimension} numbers")
    vectors = np.frombuffer(raw, dtype="<f2").reshape(rows, dimension).astype(np.float32)
    if not np.isfinite(vectors).all():
        raise ValueError("a vector holds something that is not a number")
    return vectors


def read_facts(line: bytes, document_id: str, chunks: Sequence[Chunk]) -> Facts:
    found = _validated(_FactsLine, line)
    if found.document_id != document_id:
        raise ValueError(f"these are not the facts of {document_id!r}")
    facts = found.facts
    ordinals = {chunk.ordinal for chunk in chunks}
    if not all(each.ordinal in ordinals for each in (*facts.names, *facts.mentions, *facts.links)):
        raise ValueError("a fact is of a passage that is not there")
    sure = (*(each.weight for each in facts.names), *(each.confidence for each in (*facts.mentions, *facts.links)))
    if not all(0 <= each <= 1 for each in sure):
        raise ValueError("a weight is not between 0 and 1")
    return facts


def read_record(line: bytes) -> Record:
    match orjson.loads(line):
        case {"kind": str(kind), "id": str(id), "value": {**value}}:
            _check_id(id)
            if kind == "entity_name" and not _is_decision(value):
                raise ValueError("what was decided about a name is whose it is, and how it is spelled")
            return Record(kind, id, value)
        case _:
            raise ValueError("a record is a kind, an id and a value")


def _check_id(id: str) -> None:
    if not id or "\x00" in id:
        raise ValueError("an id is empty or holds a null character")


def _is_decision(value: Mapping[str, object]) -> bool:
    return set(value) == {"means", "name"} and all(isinstance(each, str) for each in value.values())


def _check_numbers(*numbers: int) -> None:
    if min(numbers) < 0 or max(numbers) >= _LARGEST:
        raise ValueError("a number is negative or too large")


def _is_sayable(value: FieldValue) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or -_INTEGERS <= value < _INTEGERS


def _validated(noun: type[Noun], text: bytes) -> Noun:
    return _validator(noun)(text)


@cache
def _validator(noun: type[Noun]) -> Callable[[bytes], Noun]:
    # Slow to import, and needed only to read.
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(noun)

    def validate(text: bytes) -> Noun:
        try:
            return adapter.validate_json(text, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ")) from error

    return validate

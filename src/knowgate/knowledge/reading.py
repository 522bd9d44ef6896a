"""From a source to a document with its passages: fetch or read, parse, cut."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from knowgate.errors import DocumentError
from knowgate.knowledge.chunk import chunk
from knowgate.knowledge.fetch import fetch
from knowgate.knowledge.inbox import is_upload, read_upload
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.sandbox import Sandbox
from knowgate.knowledge.sources import Source, document_id, is_url, read_file, storable
from knowgate.model import DEFAULT_SCHEMA, Document, FieldValue, Schema, SchemaField
from knowgate.net import NetRules
from knowgate.store.port import DocumentWrite, Store

READER_VERSION = 2
"""Raised when parsing or cutting changes so much that documents should be read again."""


@dataclass(frozen=True, slots=True)
class ReadRules:
    max_file_bytes: int
    chunk_tokens: int
    options: ParseOptions
    net: NetRules
    schema: Schema = DEFAULT_SCHEMA
    extractor: str = ""
    """The fingerprint of the model that reads the passages afterwards, if there is one."""

    @property
    def recipe(self) -> str:
        schema = (self.schema.entity_types, self.schema.relation_types)
        fields = (dict(self.schema.document_fields),) if self.schema.document_fields else ()
        types = hashlib.sha256(repr((*schema, *fields)).encode()).hexdigest()[:8]
        parts = (READER_VERSION, self.chunk_tokens, "ocr" if self.options.ocr else "plain", types, self.extractor)
        return "/".join(str(each) for each in parts if each)


@dataclass(frozen=True, slots=True)
class _Raw:
    data: bytes
    name: str
    modified_at: float


class Reading:
    def __init__(self, store: Store, sandbox: Sandbox, rules: ReadRules, count: Callable[[str], int]) -> None:
        self._store = store
        self._sandbox = sandbox
        self._rules = rules
        self._count = count

    def __call__(
        self, source: Source, *, known_as: str = "", force: bool, owner: str, fields: Mapping[str, FieldValue]
    ) -> DocumentWrite | None:
        """The document as it is now; None when it has not changed since it was indexed."""
        raw = self._raw(source)
        address = f"text:{known_as}" if known_as else source.source
        id = document_id(address)
        digest = hashlib.sha256(raw.data).hexdigest()
        if not force:
            stored = self._store.documents([id]).get(id)
            same = stored and (stored.sha256, stored.recipe, stored.owner) == (digest, self._rules.recipe, owner)
            if stored and same and fields.items() <= stored.fields.items():
                return None
        from knowgate.knowledge.graph.facts import document_facts  # a third of a second to load

        if not raw.data.strip():
            raise DocumentError("empty_document", "The file is empty.", "There is nothing to index in it.")
        parsed = self._sandbox.parse(raw.data, raw.name, self._rules.options)
        title = parsed.title or PurePosixPath(raw.name).stem
        chunks = chunk(parsed, id, title, self._count, self._rules.chunk_tokens)
        if not chunks:
            raise DocumentError("no_text", f"{source.name} has no text.", "Only documents with text can be found.")
        own_fields, wrong_fields = checked_fields(parsed.fields, self._rules.schema.document_fields)
        document = Document(
            id=id,
            name=known_as or (raw.name if is_url(source.source) else source.name),
            source=address,
            type=parsed.type,
            mime=parsed.mime,
            title=title,
            sha256=digest,
            recipe=self._rules.recipe,
            size=len(raw.data),
            owner=owner,
            modified_at=raw.modified_at,
            indexed_at=time.time(),
            fields=storable({**own_fields, **fields}),
            warnings=(*parsed.warnings, *wrong_fields),
            chunks=len(chunks),
        )
        return DocumentWrite(document, chunks, document_facts(parsed, title, chunks, self._rules.schema, document.name))

    def has_other_types(self, document: Document) -> bool:
        """Whether it was read here with another schema or model; the rest of a recipe does not tell of the graph."""
        ours = document.recipe[:1].isdigit()
        return ours and document.recipe.split("/")[3:] != self._rules.recipe.split("/")[3:]

    def _raw(self, source: Source) -> _Raw:
        if is_url(source.source):
            fetched = fetch(source.source, self._rules.net)
            return _Raw(fetched.data, fetched.name, fetched.modified_at or time.time())
        most = self._rules.max_file_bytes
        if is_upload(source.source):
            data, modified_at = read_upload(self._store, source.source, source.name, most)
        else:
            data, modified_at = read_file(Path(source.source), most)
        return _Raw(data, source.name, modified_at)


def checked_fields(
    said: Mapping[str, FieldValue], fields: Mapping[str, SchemaField]
) -> tuple[dict[str, FieldValue], list[str]]:
    """What a document says of itself, with the defaults of the configured fields, and what it says wrongly."""
    checked = dict(said)
    wrong: list[str] = []
    for name, field in fields.items():
        if field.type == "enum" and name in checked and checked[name] not in field.values:
            told = f"The field {name} is {str(checked.pop(name))[:60]!r}, but must be one of {', '.join(field.values)}."
            wrong.append(f"{told} Correct it in the document.")
        if name not in checked and field.default is not None:
            checked[name] = field.default
    return checked, wrong

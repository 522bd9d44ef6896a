"""A FlowRAG data folder into a store: its texts read and cut our way, its graph beside what we find ourselves."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath

import orjson

from knowgate.errors import DocumentError
from knowgate.knowledge.chunk import chunk
from knowgate.knowledge.extract import extract
from knowgate.knowledge.graph.facts import kept_facts
from knowgate.knowledge.graph.names import document_names
from knowgate.knowledge.portable.flowrag import Damage, FlowragDocument, FlowragPiece, list_sources, read_folder
from knowgate.knowledge.portable.flowrag_facts import find_places, unite
from knowgate.knowledge.sources import document_id, storable
from knowgate.model import Document, Parsed, Schema
from knowgate.store.port import Batch, DocumentWrite, Store

_RECIPE = "flowrag/1"
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Making:
    """How a document is made of a text."""

    parse: Callable[[bytes, str], Parsed]
    count: Callable[[str], int]
    """Tokens of a text."""
    chunk_tokens: int
    schema: Schema
    owner: str

    @property
    def recipe(self) -> str:
        types = repr((self.schema.entity_types, self.schema.relation_types))
        return f"{_RECIPE}/{self.chunk_tokens}/{hashlib.sha256(types.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class FlowragReport:
    added: int
    replaced: int
    unchanged: int
    """Imported before, and the same in FlowRAG's folder since then."""
    kept: int
    """Ingested from their files already, which know better than FlowRAG's copy."""
    chunks: int
    entities: int
    """Of FlowRAG's, in the documents that were written."""
    relations: int
    files: tuple[str, ...]
    """Documents that were written although their files are still there."""
    other_types: tuple[str, ...]
    """Types of entities and relations that are not in the schema; they are kept as they are."""
    without_fields: int
    """Entities and relations whose custom fields were left behind."""
    damages: tuple[Damage, ...]


def import_flowrag(
    store: Store,
    folder: Path,
    making: Making,
    *,
    namespace: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> FlowragReport:
    """Can be run again: what has not changed is not written anew. All other documents of the store stay."""
    sources = list_sources(folder, namespace)
    damages: list[Damage] = []
    writing = _Writing(store, making, find_root(folder, sources), damages.append)
    for done, document in enumerate(read_folder(folder, damages.append, namespace), start=1):
        writing.put(document)
        if progress:
            progress(done, len(sources))
    store.maintain()
    return writing.report(damages)


def find_root(folder: Path, sources: Sequence[str]) -> Path:
    """Where FlowRAG ran, which its relative paths start from: the nearest folder above its data that holds a file."""
    folder = folder.resolve()
    above = (each for each in folder.parents if any((each / _local(source)).is_file() for source in sources))
    return next(above, folder.parent)


def absolute(root: Path, source: str) -> str:
    """One file has one spelling. A path of another system stays as it is."""
    if PurePosixPath(source).is_absolute() or PureWindowsPath(source).is_absolute():
        return str(Path(source).resolve()) if Path(source).is_absolute() else source
    return str((root / _local(source)).resolve())


def _local(source: str) -> str:
    return source.replace("\\", "/")


class _Writing:
    def __init__(self, store: Store, making: Making, root: Path, damaged: Callable[[Damage], None]) -> None:
        self._store = store
        self._making = making
        self._root = root
        self._damaged = damaged
        self._seen: set[str] = set()
        self._entities: set[str] = set()
        self._relations: set[tuple[str, str, str]] = set()
        self._types: set[str] = set()
        self._fields: set[str] = set()
        self._files: list[str] = []
        self._added = self._replaced = self._unchanged = self._kept = self._chunks = 0

    def put(self, document: FlowragDocument) -> None:
        source = absolute(self._root, document.source)
        id = document_id(source)
        if id in self._seen:
            self._damaged(Damage(document.source, "Another document is the same file; that one was taken."))
            return
        self._seen.add(id)
        digest = hashlib.sha256(orjson.dumps(document, default=sorted)).hexdigest()
        stored = self._store.documents([id]).get(id)
        if stored and (stored.sha256, stored.recipe) == (digest, self._making.recipe):
            self._unchanged += 1
        elif stored and not stored.recipe.startswith(_RECIPE):
            self._kept += 1
        elif write := self._made(document, id, source, digest):
            self._store.apply(Batch(documents=[write]))
            self._count(document, write, replaced=stored is not None)

    def _made(self, document: FlowragDocument, id: str, source: str, digest: str) -> DocumentWrite | None:
        making = self._making
        text, pieces = _text(document)
        content = text.encode("utf-8", "replace")
        try:
            if not text.strip():
                raise DocumentError("no_text", "There is no text left of it.", "Ingest its file, if there is one.")
            parsed = making.parse(content, document.name)
        except DocumentError as error:
            self._damaged(Damage(document.source, str(error)))
            return None
        title = parsed.title or PurePosixPath(document.name).stem
        chunks = chunk(parsed, id, title, making.count, making.chunk_tokens)
        found = extract(parsed, chunks, making.schema, document.name)
        found = unite(found, document, find_places(pieces, chunks, parsed.text == text), making.schema)
        now = time.time()
        made = Document(
            id=id,
            name=document.name,
            source=source,
            type=parsed.type,
            mime=parsed.mime,
            title=title,
            sha256=digest,
            recipe=making.recipe,
            size=len(content),
            owner=making.owner,
            modified_at=now,
            indexed_at=now,
            fields=storable({**parsed.fields, **document.fields}),
            warnings=parsed.warnings,
            chunks=len(chunks),
        )
        return DocumentWrite(made, chunks, kept_facts(found, document_names(parsed, title, chunks)))

    def _count(self, document: FlowragDocument, write: DocumentWrite, replaced: bool) -> None:
        schema = self._making.schema
        known = {type.casefold() for type in (*schema.entity_types, *schema.relation_types)}
        for row in (each.row for each in (*document.entities, *document.relations)):
            if row.type.casefold() not in known:
                self._types.add(row.type)
            if row.fields:
                self._fields.add(repr(row))
        self._entities |= {each.row.name for each in document.entities}
        self._relations |= {(each.row.source, each.row.type, each.row.target) for each in document.relations}
        self._chunks += len(write.chunks)
        if replaced:
            self._replaced += 1
        else:
            self._added += 1
        if Path(write.document.source).is_file():
            self._files.append(write.document.source)

    def report(self, damages: Sequence[Damage]) -> FlowragReport:
        return FlowragReport(
            added=self._added,
            replaced=self._replaced,
            unchanged=self._unchanged,
            kept=self._kept,
            chunks=self._chunks,
            entities=len(self._entities),
            relations=len(self._relations),
            files=tuple(self._files),
            other_types=tuple(sorted(self._types)),
            without_fields=len(self._fields),
            damages=tuple(damages),
        )


def _text(document: FlowragDocument) -> tuple[str, Sequence[FlowragPiece]]:
    """The text, or what is left of it, and the pieces with their places in it."""
    if document.text is not None:
        return document.text, document.pieces
    placed: list[FlowragPiece] = []
    at = 0
    for piece in document.pieces:
        placed.append(replace(piece, start=at))
        at += len(piece.text) + len(_BETWEEN)
    return _BETWEEN.join(piece.text for piece in placed), placed

"""The nouns every room speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

BlockKind = Literal["heading", "text", "table", "code"]
FieldValue = str | int | float | bool
Fields = Mapping[str, FieldValue]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a parsed document's text: `text[start:end]`. Blocks are in order and do not overlap."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    """1 to 6 for a heading, else 0."""
    page: int | None = None
    """Counted from 1; a slide is a page."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reader made of a file: one text, and where its parts lie in it."""

    text: str
    blocks: tuple[Block, ...]
    type: str
    """Short and stable: pdf, docx, markdown, html, text, code, csv …"""
    mime: str
    title: str = ""
    fields: Fields = field(default_factory=dict[str, FieldValue])
    """What the file says of itself: author, date, front matter …"""
    warnings: tuple[str, ...] = ()
    """What was left out and what to do about it."""


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    name: str
    """What people call it: the path below the folder it came from, or the last part of its address."""
    source: str
    """Where it came from, absolute: a path, an address, or `text:NAME`. Two documents never share a source."""
    type: str
    mime: str
    title: str
    sha256: str
    """Of the bytes that were read; unchanged means nothing to do."""
    recipe: str
    """How they were read and cut into passages; another recipe means to do it again."""
    size: int
    owner: str
    modified_at: float
    indexed_at: float
    fields: Fields = field(default_factory=dict[str, FieldValue])
    warnings: tuple[str, ...] = ()
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: what is embedded, ranked and cited."""

    id: str
    document_id: str
    ordinal: int
    text: str
    headings: tuple[str, ...]
    """From the document's title down to the heading right above."""
    start: int
    end: int
    """The passage is `Parsed.text[start:end]`."""
    page: int | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents may be seen: every dimension must hold. None is no constraint, an empty tuple matches nothing."""

    ids: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    """Names or sources, exact, or glob patterns with `*` and `?`."""
    types: tuple[str, ...] | None = None
    """Short types (pdf) or media types (application/pdf)."""
    owners: tuple[str, ...] | None = None
    modified_from: float | None = None
    modified_until: float | None = None
    fields: Mapping[str, tuple[FieldValue, ...]] = field(default_factory=dict[str, "tuple[FieldValue, ...]"])
    also: Filter | None = None
    """Another filter that must hold, too."""

    def within(self, other: Filter) -> Filter:
        """What both let through. Patterns have no common pattern, so both are kept."""
        return replace(self, also=self.also.within(other) if self.also else other)


EVERYTHING = Filter()
NOTHING = Filter(ids=())


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A filter that people keep under a name."""

    id: str
    name: str
    description: str
    owner: str
    where: Filter
    query: str = ""
    limit: int | None = None
    threshold: float | None = None
    color: str = "zinc"
    icon: str = "filter"
    created_at: float = 0.0
    updated_at: float = 0.0


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What a set of vectors was made with. Vectors of two identities cannot be compared."""

    provider: str
    model: str
    dimension: int
    query_prefix: str = ""
    passage_prefix: str = ""
    normalised: bool = True


SearchMode = Literal["hybrid", "keyword", "vector"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers, with everything a citation needs."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, rising with relevance."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Where the query's words stand in the passage's text."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: tuple[Hit, ...]
    mode: SearchMode
    """What was really done: hybrid falls back to keyword while there are no vectors."""
    cursor: str = ""
    """Hand it back for the next hits; empty when there are no more."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str
    at: float


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation, seen by nobody but its owner."""

    id: str
    owner: str
    title: str
    created_at: float
    updated_at: float
    count: int
    """Of messages, also when they are not loaded."""
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    text: str
    """With numbers such as [1] that count the sources."""
    sources: tuple[Hit, ...]
    cited: tuple[int, ...]
    """Numbers, from 1, of the sources that the text refers to."""
    answered: bool
    """False when the documents do not answer."""
    warnings: tuple[str, ...] = ()
    chat_id: str = ""
    task_id: str = ""
    """Of the task that the message started, if it asked for an address to be ingested."""


Scope = Literal["read", "write", "admin", "apis"]


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls: the local user, or the holder of a key."""

    id: str
    name: str
    scopes: frozenset[Scope]
    filter_id: str | None = None
    """Sees nothing outside of this saved filter."""

    def has(self, scope: Scope) -> bool:
        return scope in self.scopes or "admin" in self.scopes


LOCAL = Principal("local", "local", frozenset({"read", "write", "admin", "apis"}))


@dataclass(frozen=True, slots=True)
class Key:
    """What we know of a key; the key itself is shown once and not kept."""

    id: str
    name: str
    prefix: str
    """Its first characters, so that people can tell theirs."""
    scopes: frozenset[Scope]
    created_at: float
    filter_id: str | None = None
    expires_at: float | None = None
    revoked_at: float | None = None


TaskKind = Literal["ingest", "reembed"]
TaskStage = Literal["listing", "reading", "embedding", "done"]
TaskStatus = Literal["pending", "running", "completed", "failed", "cancelled"]
FileStatus = Literal["pending", "completed", "skipped", "ignored", "failed", "cancelled"]
"""Skipped has not changed since it was indexed; ignored lay in a folder and is no document, such as a picture."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of long work, kept on disk: it survives the process that runs it."""

    id: str
    kind: TaskKind
    status: TaskStatus
    stage: TaskStage
    sources: tuple[str, ...]
    """What was asked for: paths, addresses or `text:NAME`."""
    created_at: float
    updated_at: float
    total: int = 0
    completed: int = 0
    skipped: int = 0
    ignored: int = 0
    failed: int = 0
    removed: int = 0
    """Documents whose file is gone."""
    error: Mapping[str, str] | None = None
    """Why it did not do all it should: code, error (one sentence) and fix."""
    owner: str = "local"
    """Who asked for it: a principal's id."""

    @property
    def finished(self) -> bool:
        return self.status in ("completed", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class TaskFile:
    """What became of one file of a task."""

    source: str
    name: str
    status: FileStatus
    chunks: int = 0
    error: Mapping[str, str] | None = None
    """code, error (one sentence) and fix."""
    warnings: tuple[str, ...] = ()

"""The nouns every room speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

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


SearchMode = Literal["hybrid", "keyword", "vector", "naive", "local", "global"]
"""Naive is another word for vector; local and global are led by the graph."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers, with everything a citation needs."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, rising with relevance."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Where the query's words stand in the passage's text."""
    by_graph: bool = False
    """Whether it stands here because the graph led to it."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: tuple[Hit, ...]
    mode: SearchMode
    """What was really done: hybrid falls back to keyword while there are no vectors."""
    cursor: str = ""
    """Hand it back for the next hits; empty when there are no more."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """Where something is said: enough to cite it."""

    chunk_id: str
    document_id: str
    document: str
    """The document's name."""
    headings: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that the documents name."""

    name: str
    type: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    """Other spellings and names that mean it."""
    documents: int = 0
    mentions: int = 0
    """Passages that name it."""
    confidence: float = 1.0
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    """Those that the schema asks for, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Relation:
    source: str
    target: str
    type: str
    description: str = ""
    confidence: float = 1.0
    passages: tuple[Passage, ...] = ()
    """Some of those that say so."""
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A field that documents, entities or relations have here."""

    type: Literal["string", "enum"] = "string"
    values: tuple[str, ...] = ()
    default: str | None = None
    filterable: bool = False


Flow = Literal["forward", "backward"]


@dataclass(frozen=True, slots=True)
class Schema:
    """What the graph is made of."""

    entity_types: tuple[str, ...]
    relation_types: tuple[str, ...]
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])
    """Which way things flow along a relation; forward, from source to target, when not told."""
    document_fields: Mapping[str, SchemaField] = field(default_factory=dict[str, SchemaField])
    entity_fields: Mapping[str, SchemaField] = field(default_factory=dict[str, SchemaField])
    relation_fields: Mapping[str, SchemaField] = field(default_factory=dict[str, SchemaField])


DEFAULT_SCHEMA = Schema(
    ("SERVICE", "DATABASE", "PROTOCOL", "TEAM", "CONCEPT"),
    ("USES", "PRODUCES", "CONSUMES", "OWNS", "DEPENDS_ON"),
    {"CONSUMES": "backward"},
)

Direction = Literal["in", "out", "both"]
Stream = Literal["upstream", "downstream"]


@dataclass(frozen=True, slots=True)
class Step:
    """A place in a trace: what was reached, along which relations, and what can be reached from there."""

    name: str
    type: str
    relations: tuple[str, ...] = ()
    """How it hangs on the step above: USES, or ←CONSUMES when that relation points the other way."""
    steps: tuple[Step, ...] = ()
    seen: bool = False
    """Shown elsewhere, as near to the start as it gets, with what follows from it."""
    more: int = 0
    """Steps from here that were left out: the trace is as deep or as long as was asked for."""


@dataclass(frozen=True, slots=True)
class EntityPage:
    entities: tuple[Entity, ...]
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Relations:
    """Of one entity."""

    entity: Entity
    relations: tuple[Relation, ...]
    total: int
    """How many there are, also when fewer are told."""
    also: tuple[str, ...] = ()
    """What else the name that was given may mean."""


@dataclass(frozen=True, slots=True)
class Trace:
    direction: Stream
    tree: Step
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    start: str
    end: str
    relations: tuple[Relation, ...] | None
    """From the start to the end; None when there is no way, empty when they are the same."""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphStats:
    documents: int
    chunks: int
    entities: int
    relations: int
    vectors: int
    entity_types: Mapping[str, int] = field(default_factory=dict[str, int])
    relation_types: Mapping[str, int] = field(default_factory=dict[str, int])
    warnings: tuple[str, ...] = ()
    """What was configured otherwise when the documents were indexed, and what to do about it."""


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


@dataclass(frozen=True, slots=True)
class ApiInfo:
    """An API that is configured."""

    name: str
    title: str
    version: str
    source: str
    operations: int
    quarantined: tuple[str, ...] = ()
    """Operations that cannot be used, each with the reason."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OperationItem:
    operation_id: str
    api: str
    method: str
    path: str
    summary: str
    tags: tuple[str, ...] = ()
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class OperationPage:
    operations: tuple[OperationItem, ...]
    total: int
    """How many there are, with the filters, whether they are listed or not."""
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class OperationDetail:
    item: OperationItem
    description: str
    arguments: Mapping[str, Any]
    """One JSON Schema for all arguments."""
    example: Mapping[str, Any]
    """Arguments that are valid."""
    answers: Mapping[str, str]
    """By status, in words."""
    url: str
    """Where it is called, with {names} for values."""
    auth: tuple[str, ...] = ()
    """What it asks for, in the description's words."""
    verdict: str = "allow"
    """What the policy would say to the example: allow, ask, dry_run or deny."""


@dataclass(frozen=True, slots=True)
class OperationAnswer:
    """What an API answered, or what would be sent to it."""

    status: int
    """0 when nothing was sent."""
    data: Any
    operation_id: str
    method: str
    url: str
    """Without secrets."""
    label: str
    """Says that this is data from elsewhere, and from where."""
    duration_ms: float = 0.0
    request_id: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    dry_run: bool = False
    curl: str = ""
    """Of a dry run, with secrets blanked."""
    left_out: str = ""
    """What had no room, in words."""
    cursor: str = ""
    """Hand it back for what was left out."""
    redactions: Mapping[str, int] = field(default_factory=dict[str, int])
    warnings: tuple[str, ...] = ()


TaskKind = Literal["ingest", "reembed"]
TaskStage = Literal["listing", "reading", "embedding", "extracting", "done"]
TaskStatus = Literal["pending", "running", "completed", "failed", "cancelled"]
FileStatus = Literal["pending", "completed", "skipped", "ignored", "failed", "cancelled"]
"""Skipped has not changed since it was indexed; ignored lay in a folder and is no document, such as a picture."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked for, and what that cost."""

    calls: int = 0
    cached: int = 0
    """Passages that it had read before."""
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = 0.0
    """None when the price of one of the calls is not known."""

    def __add__(self, other: ModelUse) -> ModelUse:
        known = self.dollars is not None and other.dollars is not None
        return ModelUse(
            self.calls + other.calls,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.dollars or 0.0) + (other.dollars or 0.0) if known else None,
        )

    def __str__(self) -> str:
        tokens = f"{self.calls} calls, {self.input_tokens:,} tokens in, {self.output_tokens:,} out"
        return f"{tokens}, ${self.dollars:.2f}" if self.dollars else tokens


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
    model_use: ModelUse | None = None
    """When a model extracts entities: what it was asked for so far."""

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

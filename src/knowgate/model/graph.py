"""What the documents name, and how it hangs together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


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

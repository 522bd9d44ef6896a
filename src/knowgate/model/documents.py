"""Documents, their passages, and which of them are meant."""

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
    without: tuple[str, ...] = ()
    """Ids of documents that are left out."""
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

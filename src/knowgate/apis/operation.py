"""What an API can do, in one form whatever version its description has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = Any
Schema = Mapping[str, Json] | bool
"""A JSON Schema (2020-12). References are `#/$defs/NAME` into the operation's own `defs`; cycles stay references."""
Place = Literal["path", "query", "header", "cookie"]
Style = Literal["simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: Place
    required: bool
    schema: Schema
    style: Style
    explode: bool
    allow_reserved: bool = False
    content_type: str = ""
    """A content parameter: the value is written in this media type instead of a style."""
    description: str = ""
    example: Json = None


@dataclass(frozen=True, slots=True)
class Part:
    """How one field of a form or multipart body is written."""

    content_type: str = ""
    style: Style = "form"
    explode: bool = True
    allow_reserved: bool = False
    headers: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Body:
    """One media type that an operation takes."""

    content_type: str
    schema: Schema
    parts: Mapping[str, Part] = field(default_factory=dict[str, Part])
    example: Json = None


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    """Absolute, or relative to where the description came from; may hold {variables}."""
    variables: Mapping[str, tuple[str, tuple[str, ...]]] = field(
        default_factory=dict[str, "tuple[str, tuple[str, ...]]"]
    )
    """Default, and the values allowed (none told: any)."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    name: str
    type: Literal["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"]
    place: str = ""
    """header, query or cookie, of an API key."""
    key_name: str = ""
    http_scheme: str = ""
    """basic, bearer …"""
    token_url: str = ""
    authorization_url: str = ""
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the description promises for one status."""

    status: str
    """200, 4XX, default …"""
    description: str = ""
    content: Mapping[str, Schema] = field(default_factory=dict[str, Schema])
    """Media type → schema."""


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    """Unique among all APIs, at most 64 characters of [A-Za-z0-9_-]."""
    api: str
    method: str
    """Upper case."""
    path: str
    """The template, such as /users/{id}."""
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    bodies: tuple[Body, ...] = ()
    """In the description's order; empty when it takes none."""
    body_required: bool = False
    answers: tuple[Answer, ...] = ()
    servers: tuple[Server, ...] = ()
    security: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...] = ()
    """Any one of these; each names schemes with scopes, all of which are needed. Empty: open. ((),…): optional."""
    deprecated: bool = False
    defs: Mapping[str, Schema] = field(default_factory=dict[str, Schema])
    """What the schemas refer to, and nothing else."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """An operation that cannot be used, and why."""

    method: str
    path: str
    place: str
    """A JSON pointer into the description."""
    reason: str


@dataclass(frozen=True, slots=True)
class Api:
    name: str
    title: str
    version: str
    source: str
    """A path or an address."""
    sha256: str
    operations: tuple[Operation, ...]
    schemes: Mapping[str, SecurityScheme] = field(default_factory=dict[str, SecurityScheme])
    quarantined: tuple[Quarantined, ...] = ()
    description: str = ""
    warnings: tuple[str, ...] = ()
    servers: tuple[Server, ...] = ()
    """Of operations that name none themselves."""

"""What is decided on, and what is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from knowgate.model import Principal, Scope

Outcome = Literal["deny", "ask", "dry_run", "allow"]
STRONGEST_FIRST: tuple[Outcome, ...] = ("deny", "ask", "dry_run", "allow")
AuditLevel = Literal["none", "basic", "detailed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that a principal is about to do, in its final form."""

    kind: Literal["tool", "operation"]
    principal: Principal
    now: datetime
    """With a time zone."""
    scope: Scope | None = None
    """What it needs; None for a tool that nobody knows."""
    tool: str = ""
    operation: str = ""
    api: str = ""
    tags: tuple[str, ...] = ()
    method: str = ""
    url: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    auth_profile: str = ""
    environment: str = ""
    address: str = ""
    """Where the call came from; empty when no network was involved."""
    risk: int = 0
    changes: bool = False
    """Does more than look, by its method or, though its method only reads, by what it is called."""
    documents: tuple[str, ...] = ()
    """Names of the documents that it concerns."""
    fields: tuple[str, ...] = ()
    """Names of the fields that it reads or writes."""


@dataclass(frozen=True, slots=True)
class Redact:
    """What is hidden on top of what always is."""

    keys: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    personal: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    rule: str
    rates: tuple[str, ...] = ()
    """Such as `10/minute`."""
    concurrency: int | None = None
    cost: float = 0.0
    """What one call counts for."""
    daily_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    level: AuditLevel = "basic"
    include_body: bool = False
    include_response: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    outcome: Outcome
    rule: str
    """Of the policy, or one of ours: scope, authentication, default."""
    reason: str
    audit: Audit
    redact: Redact = Redact()
    limits: tuple[Limit, ...] = ()
    suggestions: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    """Line by line how it came about; filled by `explain`."""

"""What APIs can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
    changes: bool = False
    """Whether it changes something, by its method or by what it is called."""


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

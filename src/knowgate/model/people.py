"""Who calls, and with what key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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

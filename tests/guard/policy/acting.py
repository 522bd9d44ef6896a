"""Actions and policies, in short."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from knowgate.guard.policy import Action, Decision, Policy
from knowgate.model import LOCAL

MONDAY_NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def calling(operation: str = "getUser", method: str = "GET", **others: Any) -> Action:
    given: dict[str, Any] = {
        "kind": "operation",
        "principal": LOCAL,
        "now": MONDAY_NOON,
        "scope": "apis",
        "operation": operation,
        "method": method,
        "url": "https://api.example.com/users/1",
        "auth_profile": "main",
    }
    return Action(**given | others)


def using(tool: str = "knowgate_search", **others: Any) -> Action:
    given: dict[str, Any] = {"kind": "tool", "principal": LOCAL, "now": MONDAY_NOON, "scope": "read", "tool": tool}
    return Action(**given | others)


def decided(rules: str, action: Action) -> Decision:
    return Policy.from_text(rules).decide(action)

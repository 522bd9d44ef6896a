"""The smallest policy that allows what was done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import ryaml

from knowgate.guard.policy.action import Outcome
from knowgate.guard.policy.target import spellings


@dataclass(frozen=True, slots=True)
class Seen:
    """A call of an operation, as the audit trail has it."""

    operation: str
    method: str
    url: str
    auth_profile: str
    outcome: Outcome


def suggest(records: Iterable[Seen]) -> str:
    """YAML: a rule for each host and outcome with the operations that were called there; everything else is denied."""
    seen = [record for record in records if record.outcome != "deny" and record.operation]
    groups: dict[tuple[str, Outcome], set[tuple[str, str]]] = {}
    for record in seen:
        host, *_ = spellings(record.url).exact or ("",)
        groups.setdefault((host, record.outcome), set()).add((record.operation, record.method.upper()))
    policy: dict[str, Any] = {
        "version": "1.0",
        "defaults": {"allow_methods": [], "require_auth": bool(seen) and all(record.auth_profile for record in seen)},
        "rules": [
            {
                "name": f"{host}-{outcome}",
                "pattern": f"{host}/*",
                outcome: {
                    "operations": sorted({operation for operation, _ in calls}),
                    "methods": sorted({method for _, method in calls}),
                },
            }
            for (host, outcome), calls in sorted(groups.items())
        ],
    }
    return ryaml.dumps(policy)  # pyright: ignore[reportPrivateImportUsage]

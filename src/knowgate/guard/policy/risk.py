"""How risky a call looks: a number from its name, its method and what its arguments say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from knowgate.guard.policy.orders import ORDERS, text_of

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DANGEROUS = frozenset(
    "delete destroy drop erase purge remove wipe truncate reset revoke terminate shutdown kill exec execute admin root "
    "grant sudo transfer".split()
)
_METHODS = {"DELETE": 40, "POST": 20, "PUT": 20, "PATCH": 20}
_INJECTION = re.compile(
    ORDERS + r"|\bsystem prompt\b|\bjailbreak"
    r"|<\s?(?:script|iframe|system)\b|\bjavascript:|['\"]\s?(?:or|and)\s?['\"]?\d|;\s?(?:drop|delete|truncate)\s"
    r"|\bunion\s(?:all\s)?select\b|\$\(|`[^`]{1,80}`|[;&|]\s?(?:rm|curl|wget|cat|bash|sh)\s|\.\./|\$\{jndi:",
    re.IGNORECASE,
)


def risk_score(name: str, method: str, arguments: Mapping[str, Any], *, changes: bool = False) -> int:
    """Dangerous name 30; DELETE 40, other writes 20, reads 5; text that reads like an injection 30.

    What changes something although its method only reads counts as a write.
    """
    score = 30 if any(word.lower() in _DANGEROUS for word in _WORD.findall(name)) else 0
    score += _METHODS.get(method.strip().upper(), 20 if changes else 5)
    return score + (30 if _INJECTION.search(text_of(arguments)) else 0)

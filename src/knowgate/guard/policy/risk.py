"""How risky a call looks: a number from its name, its method and what its arguments say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DANGEROUS = frozenset(
    "delete destroy drop erase purge remove wipe truncate reset revoke terminate shutdown kill exec execute admin root "
    "grant sudo transfer".split()
)
_METHODS = {"DELETE": 40, "POST": 20, "PUT": 20, "PATCH": 20}
_ORDERS = (
    r"\b(?:ignore|disregard|forget|override)\s(?:\w+\s){0,3}(?:instruction|prompt|rule|polic)"
    r"|\bsystem prompt\b|\byou are now\b|\bact as (?:an? )?(?:admin|root|developer)|\bjailbreak"
)
_GIVES_ORDERS = re.compile(_ORDERS, re.IGNORECASE)
_INJECTION = re.compile(
    _ORDERS
    + r"|<\s?(?:script|iframe|system)\b|\bjavascript:|['\"]\s?(?:or|and)\s?['\"]?\d|;\s?(?:drop|delete|truncate)\s"
    r"|\bunion\s(?:all\s)?select\b|\$\(|`[^`]{1,80}`|[;&|]\s?(?:rm|curl|wget|cat|bash|sh)\s|\.\./|\$\{jndi:",
    re.IGNORECASE,
)
_MOST_CHARACTERS = 100_000


def risk_score(name: str, method: str, arguments: Mapping[str, Any]) -> int:
    """Dangerous name 30; DELETE 40, other writes 20, reads 5; text that reads like an injection 30."""
    score = 30 if any(word.lower() in _DANGEROUS for word in _WORD.findall(name)) else 0
    score += _METHODS.get(method.strip().upper(), 5)
    return score + (30 if _INJECTION.search(_text(arguments)) else 0)


def gives_orders(data: object) -> bool:
    """Whether somewhere in what came from outside somebody talks to the assistant."""
    return _GIVES_ORDERS.search(_text(data)) is not None


def _text(data: object) -> str:
    parts: list[str] = []
    left = _MOST_CHARACTERS
    for part in _texts(data):
        parts.append(part[:left])
        left -= len(part)
        if left <= 0:
            break
    return " ".join(" ".join(parts).split())


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for key, inner in cast("Mapping[object, object]", value).items():
                yield from _texts(key)
                yield from _texts(inner)
        case Sequence() if not isinstance(value, bytes | bytearray):
            for inner in cast("Sequence[object]", value):
                yield from _texts(inner)
        case _:
            pass

"""Words from outside that talk to the assistant instead of to people: in answers, arguments and descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

ORDERS = (
    # Away with what it was told before.
    r"\b(?:ignore|disregard|forget|override)\s(?:\w+\s){0,3}(?:instruction|prompt)s?\b"
    r"|\b(?:ignore|disregard|forget|override)\s(?:all|any|every|your|these|previous|prior|earlier)\s(?:\w+\s){0,2}"
    r"(?:rule|guideline|polic)|\byou are now (?:an? |the |in )|\bact as (?:an? )?(?:admin|root|developer)\b"
    # Take something along, and say nothing of it.
    r"|\b(?:send|post|upload|forward|e-?mail|include|paste|attach|append)\s(?:me\s|us\s)?(?:the\s|all\s)?"
    r"(?:full\s|entire\s|whole\s|complete\s)?contents?\sof\b"
    r"|\b(?:do not|don't|never|without)\s(?:tell|mention|inform|notify)(?:ing)?\s(?:\w+\s){0,4}(?:user|human)\b"
    # First of all, do something else.
    r"|\bbefore\s(?:using|calling|invoking|any)\s(?:\w+\s){0,3}(?:tool|call|function)s?\b|\bnew instructions\s?:"
)
_LOOSE = re.compile(ORDERS + r"|\bsystem prompt\b|\bjailbreak", re.IGNORECASE)
"""An answer that speaks of these is looked at with care; a description of a model's API does so all the time."""
_STRICT = re.compile(ORDERS, re.IGNORECASE)
_MOST_CHARACTERS = 100_000


def gives_orders(data: object) -> bool:
    """Whether somewhere in what came from outside somebody talks to the assistant."""
    return _LOOSE.search(text_of(data)) is not None


def orders_in(data: object) -> str:
    """The words of a description that nobody writes for people; empty when there are none."""
    found = _STRICT.search(text_of(data))
    return found[0] if found else ""


def text_of(data: object) -> str:
    """All texts in it on one line, as far as they are worth reading."""
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

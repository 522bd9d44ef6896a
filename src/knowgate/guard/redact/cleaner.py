"""One call's work: finds what has to go, puts tags in its place, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from knowgate.guard.redact import values
from knowgate.guard.redact.names import WEAK, Named, Names
from knowgate.guard.redact.patterns import Span

_NUMBERED = frozenset({"EMAIL", "PHONE", "IP", "NAME", "ADDRESS", "BIRTH", "ID", "CARD", "IBAN", "SSN"})
_SHORT = 64
"""Field names and the like, which come again and again, are looked at once."""


class Finder(Protocol):
    def find(self, data: bytes) -> Iterator[Span]: ...


@dataclass(frozen=True, slots=True)
class Finders:
    """What looks for something to take out; the earlier one's kind is told where two find the same."""

    own: Finder
    """Our own secrets; they go from allowed fields, too."""
    built_in: tuple[Finder, ...]
    custom: tuple[Finder, ...]
    anchors: Any
    """Where this does not match, none but the custom ones can."""

    def to_try(self, data: bytes, own_only: bool) -> tuple[Finder, ...]:
        if own_only:
            return (self.own,)
        return (self.own, *self.built_in, *self.custom) if self.anchors.search(data) else self.custom


class Numbers:
    """Tells values of a kind apart: one value has one number for as long as this object is used."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[bytes, int]] = {}

    def of(self, kind: str, value: bytes) -> int:
        numbers = self._numbers.setdefault(kind, {})
        return numbers.setdefault(value, len(numbers) + 1)


class Cleaner:
    def __init__(self, finders: Finders, names: Names, allowed: frozenset[bytes], numbers: Numbers) -> None:
        self.names = names
        self.counts: Counter[str] = Counter()
        self._finders = finders
        self._allowed = allowed
        self._numbers = numbers
        self._harmless: set[bytes] = set()

    def tag(self, kind: str, value: bytes, numbered: bool = False) -> str:
        self.counts[kind] += 1
        if numbered or kind in _NUMBERED:
            return f"[REDACTED:{kind}#{self._numbers.of(kind, value)}]"
        return f"[REDACTED:{kind}]"

    def text(self, data: bytes, *, own_only: bool = False, numbered: bool = False) -> str | None:
        """The text without what has to go, or None when all of it may stay."""
        if data in self._harmless:
            return None
        spans = list(_merged(span for finder in self._finders.to_try(data, own_only) for span in finder.find(data)))
        if not spans and not own_only and len(data) < _SHORT:
            self._harmless.add(data)
        pieces: list[bytes] = []
        copied = 0
        for start, end, kind in spans:
            if data[start:end] not in self._allowed:
                pieces += (data[copied:start], self.tag(kind, data[start:end], numbered).encode())
                copied = end
        return (b"".join(pieces) + data[copied:]).decode("utf-8", "surrogatepass") if pieces else None

    def named(self, named: Named, value: str) -> str | None:
        """The tag for a value that is secret by its name, or None when the name is not enough."""
        data = value.encode("utf-8", "surrogatepass")
        if data in self._allowed:
            return None
        secret = not values.placeholder(value) if named.sure else _looks_like(named, value)
        return self.tag(named.kind, data) if secret else None


def _looks_like(named: Named, value: str) -> bool:
    scheme, _, rest = value.partition(" ")
    if named.kind == "AUTHORIZATION" and rest:
        return not values.placeholder(rest) and (
            values.opaque(rest, named.least) or scheme.lower() in ("basic", "bearer")
        )
    if named.kind == "COOKIE":
        return "=" in value
    if named.least >= WEAK and values.is_uuid(value):
        return False
    return values.opaque(value, named.least)


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """In order; where two overlap they go together, under the kind of the one that was found by the earlier pass."""
    ranked = sorted(enumerate(spans), key=lambda each: (each[1].start, each[0]))
    current: Span | None = None
    rank = 0
    for order, span in ranked:
        if current and span.start < current.end:
            kind = current.kind if rank <= order else span.kind
            current, rank = Span(current.start, max(current.end, span.end), kind), min(rank, order)
        else:
            if current:
                yield current
            current, rank = span, order
    if current:
        yield current

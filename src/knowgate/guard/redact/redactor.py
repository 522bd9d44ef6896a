"""Takes secrets, and if wanted personal data, out of texts and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import orjson

from knowgate.guard.redact.assignments import Assignments
from knowgate.guard.redact.cleaner import Cleaner, Finders, Numbers
from knowgate.guard.redact.hints import Hint, hide
from knowgate.guard.redact.known import Known, forms, wholes
from knowgate.guard.redact.names import Names
from knowgate.guard.redact.patterns import Span, compiled, custom, found, table_of
from knowgate.guard.redact.rules import FORMS, PERSONAL
from knowgate.guard.redact.structure import NotJson, splice, walk
from knowgate.guard.redact.tokens import TOKENS

T = TypeVar("T")
_NEEDLESSLY_ESCAPED = r"(?:^|[^\\])(?:\\\\)*\\(?:u(?:00[2-9a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])|/)"
"""A letter spelled `\\u0061` would hide a secret from the anchors."""

_NOTHING = r"[^\x00-\xff]"
_MARGIN = 64


@dataclass(frozen=True, slots=True)
class RedactRules:
    """What to take out beyond the built-in rules, and what to leave."""

    built_in: bool = True
    """Without them only what is told here goes, and our own secrets."""
    personal: bool = False
    """E-mail and network addresses, phone numbers and names, too."""
    names: tuple[str, ...] = ()
    """More names whose values are secret; `key` means everything whose last word it is."""
    patterns: Mapping[str, str] = field(default_factory=dict[str, str])
    """More kinds of values: a kind in capitals, and an RE2 pattern."""
    allow_values: frozenset[str] = frozenset()
    allow_fields: frozenset[str] = frozenset()
    """Fields that stay as they are, unless one of our own secrets is in them."""


@dataclass(frozen=True, slots=True)
class Redacted(Generic[T]):
    value: T
    counts: Mapping[str, int]
    """How much of which kind was taken out."""


class Redactor:
    """Built once for a set of rules and secrets; never changes afterwards."""

    def __init__(self, rules: RedactRules | None = None, secrets: Iterable[str] = ()) -> None:
        rules = rules or RedactRules()
        secrets = list(secrets)
        own = forms(secrets)
        table = (*(TOKENS + FORMS if rules.built_in else ()), *(PERSONAL if rules.personal else ()))
        self._names = Names.of(rules.names, rules.allow_fields, rules.personal, rules.built_in)
        self._allowed = frozenset(value.encode() for value in rules.allow_values)
        self._needless = compiled(_NEEDLESSLY_ESCAPED, groups=False)
        anchors = [*self._names.anchors(), *(rule.anchor for rule in table), *(form.anchor for form in own)] or [
            _NOTHING
        ]
        self._finders = Finders(
            own=Known(own, wholes(secrets)),
            built_in=(table_of(table), Assignments(self._names)),
            custom=tuple(_Custom(kind, custom(kind, pattern)) for kind, pattern in rules.patterns.items()),
            anchors=compiled("|".join(dict.fromkeys(anchors)), groups=False),
        )

    def knows(self, text: str) -> bool:
        """Whether one of our own secrets is in it, in any form."""
        return next(self._finders.own.find(text.encode("utf-8", "surrogatepass")), None) is not None

    def text(self, text: str, numbers: Numbers | None = None) -> Redacted[str]:
        """Plain text, an address, a header, a log line."""
        cleaner = self._cleaner(numbers)
        clean = cleaner.text(text.encode("utf-8", "surrogatepass"))
        return Redacted(text if clean is None else clean, cleaner.counts)

    def json(self, value: Any, hints: Iterable[Hint] = (), numbers: Numbers | None = None) -> Redacted[Any]:
        """A JSON value of the same shape. What the hints point at goes, whatever it is."""
        cleaner = self._cleaner(numbers)
        value = hide(value, hints, cleaner)
        try:
            data = None if self._finders.custom else orjson.dumps(value)
        except TypeError:  # numbers beyond 64 bits, halves of characters: slower, but not refused
            data = None
        if data is None:
            return Redacted(walk(value, cleaner), cleaner.counts)
        clean = splice(data, self._finders.anchors, cleaner)
        return Redacted(value if clean is data else orjson.loads(clean), cleaner.counts)

    def json_bytes(self, data: bytes, numbers: Numbers | None = None) -> Redacted[bytes]:
        """JSON as it came; what may stay keeps its spelling. What turns out to be no JSON is taken for text."""
        cleaner = self._cleaner(numbers)
        try:
            return Redacted(self._json_bytes(data, cleaner), cleaner.counts)
        except (NotJson, orjson.JSONDecodeError):
            clean = self.text(data.decode("utf-8", "surrogateescape"), numbers)
            return Redacted(clean.value.encode("utf-8", "surrogateescape"), clean.counts)

    def _json_bytes(self, data: bytes, cleaner: Cleaner) -> bytes:
        if not data[:_MARGIN].lstrip().startswith((b"{", b"[", b'"')):
            raise NotJson
        if self._finders.custom:
            return orjson.dumps(walk(orjson.loads(data), cleaner))
        if (b"\\u" in data or b"\\/" in data) and self._needless.search(data):
            data = orjson.dumps(orjson.loads(data))
        return splice(data, self._finders.anchors, cleaner)

    def _cleaner(self, numbers: Numbers | None) -> Cleaner:
        return Cleaner(self._finders, self._names, self._allowed, numbers or Numbers())


class _Custom:
    def __init__(self, kind: str, regexp: Any) -> None:
        self._kind = kind
        self._regexp = regexp

    def find(self, data: bytes) -> Iterator[Span]:
        return found(self._regexp, self._kind, data)

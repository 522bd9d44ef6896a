"""Values in plain text that are secret because of the name before them: settings, headers, flags, addresses, code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowgate.guard.redact import values
from knowgate.guard.redact.names import Named, Names, spread
from knowgate.guard.redact.patterns import Span, compiled

_NAMES = "pass|pwd|pw|secret|token|key|auth|credential|jwt|cookie|cvv|cvc|card_?-?number|api"
_EQUALS = r"[ \t]{0,4}(?::=|=>|={1,2}|:)[ \t]{0,4}|>"
_SCHEME = r"(?:bearer|basic|token|digest|negotiate|apikey|api-token|bot|key)\s+"
_VALUE = r"""\\"[^"\n\\]+\\"|"[^"\n]+"|'[^'\n]+'|`[^`\n]+`|[^\s"'`<>,;&(){}]+"""
_NAME_BEFORE = re.compile(rb"[\w.-]{0,60}\Z")


class Assignments:
    """Finds `name = value`, `"name": "value"`, `?name=value`, `<name>value` and `--name value`."""

    def __init__(self, names: Names) -> None:
        words = "|".join((_NAMES, *map(spread, sorted(names.own))))
        self._names = names
        self._given = compiled(rf"""(?i)(?:{words})([\w.-]*)(\\?["'`]?\]?\)?)({_EQUALS})({_SCHEME})?({_VALUE})""")
        self._flags = compiled(rf"(?i)(?:^|\s)--?([\w-]*(?:{words})[\w-]*)[ \t]+({_VALUE})")

    def find(self, data: bytes) -> Iterator[Span]:
        if b"=" in data or b":" in data or b">" in data:
            yield from self._assigned(data)
        if b"-" in data:
            yield from self._flagged(data)

    def _assigned(self, data: bytes) -> Iterator[Span]:
        position = 0
        while match := self._given.search(data, position):
            before = _NAME_BEFORE.search(data, max(0, match.start() - 60), match.start())
            start = before.start() if before else match.start()
            first, last = _unquoted(data, *match.span(5))
            name, value = data[start : match.end(1)].decode("latin-1"), data[first:last].decode("latin-1")
            in_address = data[start - 1 : start] in (b"?", b"&")
            as_data = match.group(2) == b'"' and b":" in match.group(3)
            kind = self._kind(name, value, (match.group(4) or b"").strip().lower(), in_address, as_data)
            if kind:
                yield Span(first, last, kind)
            position = last if kind else match.end(1) + 1

    def _flagged(self, data: bytes) -> Iterator[Span]:
        for match in self._flags.finditer(data):
            first, last = _unquoted(data, *match.span(2))
            kind = self._kind(match.group(1).decode("latin-1"), data[first:last].decode("latin-1"))
            if kind:
                yield Span(first, last, kind)

    def _kind(
        self, name: str, value: str, scheme: bytes = b"", in_address: bool = False, as_data: bool = False
    ) -> str | None:
        named = self._names.judge(name)
        if named is None:
            return None
        if in_address and named.sure:
            secret = not values.placeholder(value) and value.lower() not in name.lower()
        elif scheme and named.kind == "AUTHORIZATION":
            secret = values.opaque(value, named.least) or (scheme == b"basic" and values.is_basic(value))
        else:
            secret = _believable(named, value, as_data)
        return named.kind if secret else None


def _unquoted(data: bytes, start: int, end: int) -> tuple[int, int]:
    value = data[start:end]
    quotes = 2 if value[:2] == b'\\"' else 1 if value[:1] in b"\"'`" else 0
    return start + quotes, end - quotes


def _believable(named: Named, value: str, as_data: bool) -> bool:
    """Whether a value in plain text is what its name says, and not prose, code or a placeholder about it."""
    if values.placeholder(value):
        return False
    if named.kind == "PASSWORD":
        chosen = not values.wordy(value) or value.isdigit() or (as_data and value.isalnum())
        return len(value) >= 5 and chosen and not values.is_code(value) and values.encodable(value)
    if named.kind == "TOKEN" and values.is_uuid(value):
        return False
    return values.opaque(value, named.least)

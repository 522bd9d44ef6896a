"""Compiled patterns over bytes, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from knowgate.errors import InputError
from knowgate.guard.redact.rules import Rule

_MEMORY = 64 << 20
_KIND = re.compile(r"[A-Z][A-Z0-9_]{0,39}")


class Span(NamedTuple):
    """What is to be taken out, and why."""

    start: int
    end: int
    kind: str


def compiled(pattern: str, groups: bool = True) -> Any:
    """One of our own patterns, over bytes as they are. Without groups it is found faster."""
    return _re2().compile(pattern.encode(), _options(groups))


def custom(kind: str, pattern: str) -> Any:
    """A user's pattern, or an error that says where it is wrong."""
    if not _KIND.fullmatch(kind):
        raise InputError(
            "redact_kind_invalid", f"{kind!r} cannot name a redaction pattern.", "Use capitals, as in ORDER_ID."
        )
    re2 = _re2()
    options = re2.Options()
    options.log_errors = False
    try:
        regexp = re2.compile(pattern, options)
    except re2.error as error:
        told: Any = error.args[0]
        what, _, part = (told.decode() if isinstance(told, bytes) else str(told)).partition(": ")
        raise InputError(
            "redact_pattern_invalid",
            f"The redaction pattern {kind} is wrong at character {max(pattern.rfind(part), 0) + 1}: {what} ({part}).",
            "Patterns are RE2's: no look-around and no back-references.",
        ) from None
    if regexp.search(b""):
        raise InputError(
            "redact_pattern_empty", f"The redaction pattern {kind} matches nothing at all.", "Ask for a character."
        )
    return regexp


class Table:
    """Many rules: one pass says which of them may match at all, and only those are tried."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = [(rule, compiled(rule.pattern)) for rule in rules]
        self._anchors = _re2().Set.SearchSet(_options())
        for rule in rules:
            self._anchors.Add(rule.anchor.encode())
        self._anchors.Compile()

    def find(self, data: bytes) -> Iterator[Span]:
        for index in sorted(self._anchors.Match(data) or ()):
            rule, regexp = self._rules[index]
            position = 0
            while match := regexp.search(data, position):
                start, position = match.span(1)
                if rule.check is None or rule.check(data[start:position].decode("latin-1")):
                    yield Span(start, position, rule.kind)


@lru_cache(maxsize=4)
def table_of(rules: tuple[Rule, ...]) -> Table:
    """Compiling the rules takes longer than everything else a redactor needs, and they are always the same."""
    return Table(rules)


def found(regexp: Any, kind: str, data: bytes) -> Iterator[Span]:
    """Every place where a pattern matches."""
    for match in regexp.finditer(data):
        if match.end() > match.start():
            yield Span(match.start(), match.end(), kind)


def _options(groups: bool = True) -> Any:
    re2 = _re2()
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.never_capture = not groups
    return options


def _re2() -> Any:
    import re2  # pyright: ignore[reportMissingTypeStubs]

    return re2

"""Redacting inside JSON.

`splice` works on the bytes: it jumps from anchor to anchor and rewrites only the strings that change, so that JSON
without secrets costs one pass, and everything else stays as it was written. `walk` does the same to values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import orjson

from knowgate.errors import LimitError
from knowgate.guard.redact.cleaner import Cleaner
from knowgate.guard.redact.names import Named

_DEEPEST = 200
_COLON = re.compile(rb"\s*:\s*")
_KEY_BEFORE = re.compile(rb'"([^"\\]*)"\s*:\s*\Z')
_VALUE_AFTER = re.compile(rb'\s*,\s*"[Vv]alue"\s*:\s*(?=")')
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_NUMBER = re.compile(rb"-?[0-9][0-9.eE+-]*")
_PART = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_NAMING = ("name", "key", "header", "variable", "Name", "Key")
"""Fields that hold the name of what is in the field `value` beside them."""
_ABOUT = ("id", "name", "type", "url", "uri", "at", "date", "time", "created", "updated", "status")
"""Fields that tell something about a secret, not the secret."""
_LONGEST_NAME = 100
_NUMERIC = ("PASSWORD", "CARD", "SECRET")


class NotJson(ValueError):
    """The bytes are not what they claim to be."""


def splice(data: bytes, anchors: Any, cleaner: Cleaner) -> bytes:
    """The same JSON, cleaned; the very same object when nothing had to go."""
    return _Splice(data, cleaner).run(anchors)


class _Splice:
    def __init__(self, data: bytes, cleaner: Cleaner) -> None:
        self._data = data
        self._cleaner = cleaner
        self._pieces: list[bytes | memoryview] = []
        self._copied = 0
        self._outside = 0
        """A place known to lie between strings; everything before it is settled."""

    def run(self, anchors: Any) -> bytes:
        data = self._data
        for match in anchors.finditer(data):
            at: int = match.start()
            if at < self._outside:
                continue
            if self._quotes_before(at) % 2:
                self._string(self._opening(at), self._closing(at))
            elif data[at : at + 1].isalpha():
                raise NotJson
            else:
                self._outside = at
        return b"".join([*self._pieces, memoryview(data)[self._copied :]]) if self._pieces else data

    def _quotes_before(self, at: int) -> int:
        stretch = self._data[self._outside : at]
        if b"\\" not in stretch:
            return stretch.count(b'"')
        if b"\\\\" not in stretch:
            return stretch.count(b'"') - stretch.count(b'\\"')
        return _ESCAPE.sub(b"", stretch).count(b'"')

    def _opening(self, at: int) -> int:
        quote = self._data.rfind(b'"', self._outside, at)
        while quote > 0 and self._escaped(quote):
            quote = self._data.rfind(b'"', self._outside, quote)
        return quote

    def _closing(self, at: int) -> int:
        quote = self._data.find(b'"', at)
        while quote >= 0 and self._escaped(quote):
            quote = self._data.find(b'"', quote + 1)
        if quote < 0:
            raise NotJson
        return quote

    def _escaped(self, quote: int) -> bool:
        first = quote
        while first > 0 and self._data[first - 1] == 0x5C:
            first -= 1
        return (quote - first) % 2 == 1

    def _string(self, start: int, end: int) -> None:
        data, cleaner = self._data, self._cleaner
        text = self._decoded(start, end)
        self._outside = end + 1
        if colon := _COLON.match(data, end + 1):
            self._put(start, end + 1, cleaner.text(text, numbered=True))
            named = cleaner.names.judge(text.decode("utf-8", "replace"))
            if named:
                self._named(colon.end(), named)
            return
        named = cleaner.names.judge(text.decode("utf-8", "replace")) if len(text) < _LONGEST_NAME else None
        name = self._name_before(start) if named or cleaner.names.allowed else ""
        self._put(start, end + 1, cleaner.text(text, own_only=cleaner.names.allows(name)))
        if named and name in _NAMING and (value := _VALUE_AFTER.match(data, end + 1)):
            self._named(value.end(), named)

    def _name_before(self, start: int) -> str:
        key = _KEY_BEFORE.search(self._data, max(0, start - 2 * _LONGEST_NAME), start)
        return key[1].decode("utf-8", "replace") if key else ""

    def _named(self, start: int, named: Named) -> None:
        first = self._data[start : start + 1]
        if first == b'"':
            end = self._closing(start + 1) + 1
            tag = self._cleaner.named(named, self._decoded(start, end - 1).decode("utf-8", "replace"))
            if tag is None:  # if there is an anchor in it, the value's turn is still to come
                return
            self._put(start, end, tag)
        elif first in (b"[", b"{"):
            end = self._end_of_part(start)
            value = _loads(self._data[start:end])
            clean = walk(value, self._cleaner, named)
            self._put(start, end, clean if clean != value else None)
        elif named.kind in _NUMERIC and named.sure and (number := _NUMBER.match(self._data, start)):
            end = number.end()
            self._put(start, end, self._cleaner.tag(named.kind, number[0]))
        else:
            return
        self._outside = end

    def _end_of_part(self, start: int) -> int:
        depth = 0
        for part in _PART.finditer(self._data, start):
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(part[0], 0)
            if not depth:
                return part.end()
        raise NotJson

    def _decoded(self, start: int, end: int) -> bytes:
        raw = self._data[start + 1 : end]
        return _loads(self._data[start : end + 1]).encode() if b"\\" in raw else raw

    def _put(self, start: int, end: int, value: Any) -> None:
        if value is not None:
            self._pieces += (memoryview(self._data)[self._copied : start], orjson.dumps(value))
            self._copied = end


def _loads(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotJson from error


def walk(value: Any, cleaner: Cleaner, named: Named | None = None, depth: int = 0) -> Any:
    """A cleaned copy of a JSON value that goes by this name."""
    if depth > _DEEPEST:
        raise LimitError(
            "json_too_deep", "The answer is nested too deep to be checked for secrets.", "Ask for less of it."
        )
    if isinstance(value, str):
        new = cleaner.named(named, value) if named else None
        new = cleaner.text(value.encode("utf-8", "surrogatepass")) if new is None else new
        return value if new is None else new
    if isinstance(value, list):
        return [walk(item, cleaner, named, depth + 1) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return _walk_fields(cast(dict[str, Any], value), cleaner, named, depth)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and named and named.sure and named.kind in _NUMERIC:
        return cleaner.tag(named.kind, str(value).encode())
    return value


def _walk_fields(fields: Mapping[str, Any], cleaner: Cleaner, named: Named | None, depth: int) -> dict[str, Any]:
    # A field inside of something secret need not be secret itself: `{"token": {"type": "bearer", "value": …}}`.
    inherited = replace(named, sure=False, least=max(named.least, 12)) if named else None
    told = next((fields[key] for key in _NAMING if isinstance(fields.get(key), str)), "")
    clean: dict[str, Any] = {}
    for key, value in fields.items():
        own = cleaner.names.judge(told if key in ("value", "Value") and told else key)
        if isinstance(value, str) and cleaner.names.allows(key):
            kept = cleaner.text(value.encode("utf-8", "surrogatepass"), own_only=True)
            clean[_key(key, cleaner)] = value if kept is None else kept
        else:
            about = inherited if not key.lower().endswith(_ABOUT) else None
            clean[_key(key, cleaner)] = walk(value, cleaner, own or about, depth + 1)
    return clean


def _key(key: str, cleaner: Cleaner) -> str:
    new = cleaner.text(key.encode("utf-8", "surrogatepass"), numbered=True)
    return key if new is None else new

"""Lines that are sealed and name the seal before them, and the head that remembers the last one."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, cast

import orjson

from knowgate.guard.audit.keys import Keys

GENESIS = "0" * 64
_MARK = b',"hmac":"'
_END = b'"}'
_SEAL = len(_MARK) + 64 + len(_END)
_HEAD_SIZE = 512
"""Always the same, so that a new head is written over the old one in one piece."""
_DEEPEST = 50


@dataclass(frozen=True, slots=True)
class Sealed:
    """A line whose seal fits."""

    sequence: int
    previous: str
    hmac: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Head:
    """Where the chain ends. Behind the log after a crash, never ahead of it."""

    sequence: int = 0
    last: str = GENESIS
    """The last record's seal."""
    size: int = 0
    """Of the current log."""
    first: int = 1
    """The current log's first record."""
    day: str = ""
    """When that was written, in UTC."""
    oldest: int = 1
    """The first record that is still kept; those before it were let go."""


def seal_line(keys: Keys, fields: Mapping[str, Any], sequence: int, previous: str) -> tuple[bytes, str]:
    """The line and its seal."""
    return _seal(keys.lines, {**fields, "sequence": sequence, "previous": previous}, b"\n")


def open_line(keys: Keys, line: bytes) -> Sealed | None:
    """None when somebody else wrote it, or changed it. The line comes with its end."""
    fields = _open(keys.lines, line.removesuffix(b"\n")) if line.endswith(b"\n") else None
    return None if fields is None else Sealed(fields["sequence"], fields["previous"], fields["hmac"], fields)


def seal_head(keys: Keys, head: Head) -> bytes:
    fields = {name: getattr(head, name) for name in Head.__slots__}
    return _seal(keys.head, fields, b"")[0].ljust(_HEAD_SIZE)


def open_head(keys: Keys, data: bytes) -> Head | None:
    fields = _open(keys.head, data.rstrip(b" ")) if len(data) == _HEAD_SIZE else None
    return None if fields is None else Head(**{name: fields[name] for name in Head.__slots__})


def resume(keys: Keys, head: Head, content: bytes) -> tuple[Head, bytes]:
    """Where the chain ends by what the current log holds, and the piece of a line at its end.

    Whole lines that do not belong there stay: `verify` names them.
    """
    whole = content.rfind(b"\n") + 1
    for line in BytesIO(content[min(head.size, whole) : whole]):
        sealed = open_line(keys, line)
        if sealed and sealed.sequence > head.sequence:
            head = replace(head, sequence=sealed.sequence, last=sealed.hmac)
    return replace(head, size=whole), content[whole:]


def encode(value: object) -> bytes:
    """As JSON, whatever it is: nothing that an assistant sends may keep a record from being written."""
    try:
        return orjson.dumps(value, default=str)
    except (orjson.JSONEncodeError, UnicodeEncodeError):
        return orjson.dumps(_plain(value, 0))


def _plain(value: object, depth: int) -> object:
    if depth > _DEEPEST:
        return "…"
    match value:
        case None | bool() | float():
            return value
        case int():
            return value if -(2**63) <= value < 2**63 else str(value)
        case Mapping():
            pairs = cast(Mapping[object, object], value)
            return {_text(name): _plain(each, depth + 1) for name, each in pairs.items()}
        case list() | tuple():
            return [_plain(each, depth + 1) for each in cast(Sequence[object], value)]
        case _:
            return _text(value)


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode()


def _seal(key: bytes, fields: Mapping[str, Any], end: bytes) -> tuple[bytes, str]:
    # The very bytes are sealed: what is read back needs no canonical form.
    body = encode(fields)[:-1]
    seal = hmac.digest(key, body, "sha256").hex()
    return b"".join((body, _MARK, seal.encode(), _END, end)), seal


def _open(key: bytes, line: bytes) -> dict[str, Any] | None:
    body, seal = line[:-_SEAL], line[-_SEAL:]
    fits = _MARK + hmac.digest(key, body, "sha256").hex().encode() + _END
    return orjson.loads(line) if hmac.compare_digest(seal, fits) else None

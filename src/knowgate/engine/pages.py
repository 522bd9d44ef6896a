"""Cursors of lists that are cut by counting."""

from __future__ import annotations

import base64

from knowgate.errors import InputError

_FARTHEST = 10_000_000


def cursor_at(offset: int) -> str:
    return base64.urlsafe_b64encode(str(offset).encode()).decode()


def offset_of(cursor: str) -> int:
    try:
        offset = int(base64.urlsafe_b64decode(cursor)) if cursor else 0
    except ValueError:
        offset = -1
    if not 0 <= offset <= _FARTHEST:
        fix = "List again without a cursor to start at the beginning."
        raise InputError("bad_cursor", "The cursor is not one of ours.", fix)
    return offset

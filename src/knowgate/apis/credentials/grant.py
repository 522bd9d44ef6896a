"""What is added to one request, once it is decided that it may go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from knowgate.apis.credentials.secret import Secret

if TYPE_CHECKING:
    import ssl

Pairs = tuple[tuple[str, Secret], ...]


@dataclass(frozen=True, slots=True)
class Grant:
    origin: str
    """The only place it may be sent to."""
    headers: Pairs = ()
    query: Pairs = ()
    cookies: Pairs = ()
    tls: ssl.SSLContext | None = None


def join(first: Grant, others: Iterable[Grant]) -> Grant:
    """For an operation that asks for several credentials at once; all are for the same request."""
    return reduce(_join, others, first)


def _join(one: Grant, other: Grant) -> Grant:
    assert one.origin == other.origin
    return Grant(
        one.origin,
        one.headers + other.headers,
        one.query + other.query,
        one.cookies + other.cookies,
        one.tls or other.tls,
    )

"""Whether to send a request again, and when."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
_RETRIES = 2
_FIRST_PAUSE = 0.25
_PASSING = {429, 502, 503, 504}


def pause_before_retry(tries: int, left: float, *, status: int = 0, retry_after: float | None = None) -> float | None:
    """Seconds to wait before one more try that is safe to make; None gives up. `status` 0: there was no answer."""
    if tries > _RETRIES or (status and status not in _PASSING):
        return None
    # A little chance keeps many callers from coming back at the same moment.
    pause = _FIRST_PAUSE * 2 ** (tries - 1) * random.uniform(0.5, 1.0)  # noqa: S311
    if retry_after is not None:
        pause = max(pause, retry_after)
    return pause if pause < left else None


def read_retry_after(value: str, now: datetime) -> float | None:
    """Seconds from now, of a Retry-After header."""
    value = value.strip()
    if value.isdecimal() and value.isascii():
        return float(value[:9])
    try:
        at = parsedate_to_datetime(value)
        return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now.timestamp())
    except (ValueError, OverflowError):
        return None

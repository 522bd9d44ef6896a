"""Whether to ask again, and when."""

from __future__ import annotations

import random

from knowgate.client.errors import ClientError, ConnectionFailed

_RETRIES = 2
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0


def pause_before_retry(error: ClientError, retries: int) -> float | None:
    """Seconds to wait before a safe call is made again after so many retries; None gives up."""
    pause = _FIRST_PAUSE * 2**retries * random.uniform(0.5, 1.0)  # noqa: S311
    if error.retry_after is not None:
        pause = max(pause, error.retry_after)
    if retries >= _RETRIES or pause > _LONGEST_PAUSE or not _passing(error):
        return None
    return pause


def _passing(error: ClientError) -> bool:
    if isinstance(error, ConnectionFailed):
        # Whoever sets a time limit does not want to wait for three times as long.
        return error.code != "timeout"
    return error.status_code in (502, 503, 504) or (error.status_code == 429 and error.retry_after is not None)

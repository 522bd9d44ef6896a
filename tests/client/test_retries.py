"""Only what may pass by itself is tried again, and never for long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.client.errors import ClientError, ConnectionFailed, kind_of
from knowgate.client.retries import pause_before_retry


def refusal(status: int, retry_after: float | None = None) -> ClientError:
    return kind_of(status)("code", "Message.", status_code=status, retry_after=retry_after)


@pytest.mark.parametrize(
    "error",
    [
        refusal(502),
        refusal(503),
        refusal(504),
        refusal(503, 2.0),
        refusal(429, 10.0),
        ConnectionFailed("lost", "Lost."),
    ],
)
def test_what_may_pass_is_tried_twice_more(error: ClientError) -> None:
    first, second = pause_before_retry(error, 0), pause_before_retry(error, 1)
    assert first is not None
    assert second is not None
    assert first >= (error.retry_after or 0)
    assert pause_before_retry(error, 2) is None


@pytest.mark.parametrize(
    "error",
    [
        *map(refusal, (400, 401, 404, 409, 429, 500, 501)),
        refusal(429, 11.0),
        refusal(503, 60.0),
        ConnectionFailed("timeout", "Slow."),
    ],
)
def test_everything_else_is_not(error: ClientError) -> None:
    assert pause_before_retry(error, 0) is None


@given(st.integers(300, 599), st.none() | st.floats(0, 1e9), st.integers(0, 5))
def test_no_pause_is_long(status: int, retry_after: float | None, retries: int) -> None:
    pause = pause_before_retry(refusal(status, retry_after), retries)
    assert pause is None or 0 < pause <= 10

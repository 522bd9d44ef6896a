"""When a request is sent again."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.retry import pause_before_retry, read_retry_after

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("Tue, 01 Jan 2030 00:01:00 GMT", 60.0),
        ("Tue, 01 Jan 2030 00:01:00 -0000", 60.0),
        ("Mon, 31 Dec 2029 00:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 50, 999_999_999.0),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert read_retry_after(value, NOW) == seconds


@given(st.text())
def test_any_header_is_seconds_or_nothing(value: str) -> None:
    seconds = read_retry_after(value, NOW)
    assert seconds is None or seconds >= 0


def test_two_retries_and_only_for_what_passes() -> None:
    assert pause_before_retry(1, 60) is not None
    assert pause_before_retry(2, 60) is not None
    assert pause_before_retry(3, 60) is None
    assert pause_before_retry(1, 60, status=500) is None
    assert pause_before_retry(1, 60, status=503) is not None


def test_the_server_says_when_within_the_time_that_is_left() -> None:
    assert pause_before_retry(1, 60, status=429, retry_after=59) == 59
    assert pause_before_retry(1, 60, status=429, retry_after=60) is None

"""What every door says in the same way."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.answers import moment


def test_a_moment_is_in_utc_with_milliseconds() -> None:
    assert moment(0.0625) == "1970-01-01T00:00:00.062Z"


@pytest.mark.parametrize(("seconds", "year"), [(253402351199.0, "9999-12-31"), (-62135683200.0, "0001-01-01")])
def test_a_year_that_no_calendar_has_is_the_last_or_the_first(seconds: float, year: str) -> None:
    assert moment(seconds).startswith(year)


@given(st.floats(allow_nan=False))
def test_every_moment_can_be_told(seconds: float) -> None:
    assert moment(seconds).endswith("Z")
    assert moment(math.copysign(math.inf, seconds)).endswith("Z")

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.cli.sizes import ago, day, size, size_of, some


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 B"), (999, "999 B"), (1_234, "1.2 kB"), (93_000, "93 kB"), (5_000_000_000_000, "5.0 TB")]
)
def test_size(count, said):
    assert size(count) == said


def test_what_vanishes_has_no_size(tmp_path):
    (tmp_path / "here").write_bytes(b"12345")
    assert size_of([tmp_path / "gone", tmp_path / "here", tmp_path / "gone" / "below"]) == 5


@pytest.mark.parametrize(("count", "said"), [(0, ""), (1, "a"), (3, "a, b, c"), (4, "a, b, c and 1 more")])
def test_some(count, said):
    assert some("abcd"[:count]) == said


@pytest.mark.parametrize(("seconds", "said"), [(5, "now"), (130, "2 min ago"), (7200, "2 h ago"), (200_000, "2 d ago")])
def test_ago(seconds, said):
    assert ago(seconds) == said


@given(st.floats())
def test_any_date_can_be_shown(timestamp: float):
    assert isinstance(day(timestamp), str)

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowgate.tools.text import counted, cut, fit, window


def test_cut():
    assert cut("a" * 500, 500) == "a" * 500
    assert cut("a" * 501, 500) == "a" * 500 + "..."


def test_a_window_shows_what_was_searched_for():
    text = "x" * 300 + "needle" + "y" * 300
    shown = window(text, [(300, 306)], 100)
    assert "needle" in shown
    assert shown.startswith("...")
    assert shown.endswith("...")
    assert window(text, [], 100) == "x" * 100 + "..."
    assert window("short", [(0, 5)], 100) == "short"


@given(st.text(max_size=300), st.integers(1, 100), st.lists(st.integers(0, 300), max_size=5))
def test_a_window_is_a_part_of_the_text_and_no_wider(text: str, width: int, places: list[int]):
    spans = [(place, min(place + 3, len(text))) for place in places if place < len(text)]
    shown = window(text, spans, width)
    assert len(shown) <= width + 6
    inner = shown[3:] if len(text) > width and shown.startswith("...") else shown
    inner = inner[:-3] if len(text) > width and inner.endswith("...") else inner
    assert inner in text


@given(st.lists(st.integers(1, 50)), st.integers(0, 100))
def test_as_much_as_fits_from_the_beginning(sizes: list[int], room: int):
    kept = fit(sizes, lambda size: size, room)
    assert kept == sizes[: len(kept)]
    assert sum(kept) <= room or len(kept) == 1
    assert len(kept) == len(sizes) or sum(sizes[: len(kept) + 1]) > room


def test_counted():
    assert [counted(number, "file") for number in (0, 1, 2)] == ["0 files", "1 file", "2 files"]

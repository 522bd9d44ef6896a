from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowgate.cli.excerpt import below_headings, excerpt, window
from knowgate.model import Chunk


def test_the_words_are_in_the_window():
    text = "x" * 1000 + " needle " + "x" * 1000
    assert "needle" in excerpt(text, [(1001, 1007)], 100, "bold").plain


def test_most_of_the_words_win():
    start, end = window(5000, [(10, 15), (3000, 3005), (3050, 3055)], 200)
    assert start <= 3000
    assert end >= 3055


def test_what_fits_is_whole():
    assert excerpt("short", [], 100, "bold").plain == "short"
    assert excerpt("x" * 1000, [], None, "bold").plain == "x" * 1000


def test_the_marks_are_on_the_words():
    text = excerpt("a \x1b needle here", [(4, 10)], 100, "bold")
    assert [text.plain[span.start : span.end] for span in text.spans] == ["needle"]


@given(st.integers(0, 3000), st.lists(st.tuples(st.integers(0, 2990), st.integers(1, 10))), st.integers(1, 500))
def test_a_window_lies_inside(length, starts, width):
    spans = [(start, start + size) for start, size in starts if start + size <= length]
    start, end = window(length, spans, width)
    assert 0 <= start <= end <= length
    assert end - start == min(length, width)


def test_headings_shown_above_are_not_repeated():
    text = "Questions\n\n## Ordering\n\nHow can I pay?"
    chunk = Chunk("c", "d", 0, text, ("Questions", "Ordering"), 0, len(text))
    start = text.index("pay")
    assert below_headings(chunk, [(0, 9), (start, start + 3)]) == ("How can I pay?", [(10, 13)])


def test_a_passage_that_is_only_its_heading_stays():
    assert below_headings(Chunk("c", "d", 0, "Ordering", ("Ordering",), 0, 8), []) == ("Ordering", [])

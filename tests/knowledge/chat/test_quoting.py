from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passages import hit

from knowgate.knowledge.chat.extract import Quote
from knowgate.knowledge.chat.prompt import NOT_ANSWERED
from knowgate.knowledge.chat.quoting import declined, plain, quoted

HITS = [hit("Zero.", "a.md"), hit("One. Two.", "b.md"), hit("Three.", "c.md")]


def test_quoted_sources_come_first_with_their_numbers() -> None:
    answer = quoted([Quote(2, 0, 6), Quote(1, 0, 4), Quote(1, 5, 9)], HITS)
    assert answer.text == "Three. [1]\n\nOne. [2] Two. [2]"
    assert [source.document.name for source in answer.sources] == ["c.md", "b.md", "a.md"]
    assert answer.cited == (1, 2)
    assert answer.answered


def test_nothing_to_quote_names_the_closest_places() -> None:
    hits = [
        hit("x", "a.md", ("Guide", "**Refunds**"), 2),
        hit("y", "a.md", ("Guide", "**Refunds**"), 2),
        hit("z", "b.md"),
    ]
    answer = quoted([], hits)
    assert answer.text == f"{NOT_ANSWERED} Closest to it: a.md (page 2, Refunds); b.md."
    assert answer.sources == tuple(hits)
    assert not answer.answered
    assert declined([]).text == NOT_ANSWERED


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("## Refunds", "Refunds"),
        ("- **30 days** from *delivery*", "30 days from delivery"),
        ("> See [the policy](https://x.example/a_(b)) now", "See the policy now"),
        ("| Germany | 19 % |\n|---|---|\n| France | 20 % |", "Germany, 19 % France, 20 %"),
        ("Call `vacuum()` of `__init__`", "Call vacuum() of __init__"),
        ("A fact.[3] Another [4, 5].", "A fact.(3) Another (4, 5)."),
        ("2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"),
        ("a\n  b", "a b"),
    ],
)
def test_marks_go_and_words_stay(text: str, read: str) -> None:
    assert plain(text) == read


@given(st.text())
def test_no_text_can_look_like_one_of_our_numbers(text: str) -> None:
    import re

    assert not re.search(r"\[[0-9]+\]", plain(text))

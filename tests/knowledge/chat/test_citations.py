from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.chat.citations import Citations

TEXTS = st.lists(
    st.sampled_from(["a", " ", "[", "]", "1", "2", "9", "0", ",", ";", "\n", "[1]", " [2, 9]", ".", "`", "```"])
).map("".join)


def filtered(*deltas: str, sources: int = 3) -> tuple[str, tuple[int, ...]]:
    citations = Citations(sources)
    return "".join(citations.feed(delta) for delta in deltas), citations.cited


@pytest.mark.parametrize(
    ("said", "shown", "cited"),
    [
        ("Five days [1].", "Five days [1].", (1,)),
        ("Five days [3][1].", "Five days [3][1].", (1, 3)),
        ("Five days [1, 2].", "Five days [1, 2].", (1, 2)),
        ("Five days [1; 9, 2].", "Five days [1, 2].", (1, 2)),
        ("Five days [9].", "Five days.", ()),
        ("Five days [0].", "Five days.", ()),
        ("A list [a] and [] and [ , ].", "A list [a] and [] and [ , ].", ()),
        ("Cut off here [1", "Cut off here", ()),
        ("Five days[1].", "Five days[1].", (1,)),
        ("Read args[0] and row[10] [2].", "Read args[0] and row[10] [2].", (2,)),
        ("Read `args [0]`, `` a`[9] `` and `[1]` [2].", "Read `args [0]`, `` a`[9] `` and `[1]` [2].", (2,)),
        ("```\nrow[9]\n [1]\n```\nSo [9] it is [1].", "```\nrow[9]\n [1]\n```\nSo it is [1].", (1,)),
        ("One ` alone [9]\ncloses [9] nothing `", "One ` alone [9]\ncloses nothing `", ()),
    ],
)
def test_keeps_what_points_somewhere(said: str, shown: str, cited: tuple[int, ...]) -> None:
    assert filtered(said) == (shown, cited)


def test_never_shows_half_a_citation() -> None:
    citations = Citations(2)
    assert [citations.feed(delta) for delta in ("Five days", " ", "[", "2", "]", ".")] == [
        "Five days",
        "",
        "",
        "",
        " [2]",
        ".",
    ]


@given(TEXTS, st.lists(st.integers(0, 60)))
def test_however_it_is_cut_the_result_is_the_same(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    deltas = [text[start:end] for start, end in pairwise(places)]
    assert filtered(*deltas) == filtered(text)


@given(
    st.lists(st.sampled_from(["five days ", " ", ". ", "[x]", "[1]", "[2,3]", " [9]", "[0; 2]", "[ 10 ]"])),
    st.integers(0, 3),
)
def test_every_number_left_has_a_source(parts: list[str], sources: int) -> None:
    shown, cited = filtered("".join(parts), sources=sources)
    left = {int(number) for inside in re.findall(r"\[([^x\]]*)\]", shown) for number in re.findall("[0-9]+", inside)}
    assert left == set(cited)
    assert all(1 <= number <= sources for number in cited)

"""BM25 over arrays is BM25."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from contract import best_by_words
from hypothesis import given
from hypothesis import strategies as st

from knowgate.store.sqlite.log import Part
from knowgate.store.sqlite.postings import Postings, pack_terms
from knowgate.store.sqlite.retrieve import find_words
from knowgate.store.words import query_terms, text_terms

_words = st.sampled_from(["apple", "pear", "plum", "fig", "Zoë", "東京都", "AuthService", "!", "run", "running"])
_texts = st.lists(st.lists(_words, max_size=8).map(" ".join), max_size=12)


def part(texts: list[str], first: int = 0, dead: frozenset[int] = frozenset()) -> Part[Postings]:
    numbers = np.arange(first, first + len(texts), dtype=np.int64)
    alive = np.array([number not in dead for number in numbers.tolist()], dtype=np.bool_)
    payload = Postings.build([pack_terms(text_terms(text)) for text in texts])
    return Part("", numbers, numbers, numbers, alive, payload, [])


def parts(texts: list[str], cuts: list[int], dead: frozenset[int] = frozenset()) -> list[Part[Postings]]:
    edges = sorted({0, len(texts), *(cut for cut in cuts if cut < len(texts))})
    return [part(texts[a:b], a, dead) for a, b in pairwise(edges)]


@given(_texts, st.lists(st.integers(0, 12)), st.frozensets(st.integers(0, 12)), st.lists(_words, max_size=4))
def test_scores_equal_a_plain_loop_however_the_rows_are_cut(
    texts: list[str], cuts: list[int], dead: frozenset[int], query: list[str]
) -> None:
    question = " ".join(query)
    found = find_words(parts(texts, cuts, dead), query_terms(question), 100, None)
    living = {str(i): text for i, text in enumerate(texts) if i not in dead}
    assert {str(row): pytest.approx(score, rel=1e-4) for row, score in found} == best_by_words(living, question)
    assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))


@given(_texts, st.lists(st.integers(0, 12)), st.integers(0, 15))
def test_fewer_are_the_first_of_more(texts: list[str], cuts: list[int], k: int) -> None:
    cut = parts(texts, cuts)
    assert (
        find_words(cut, query_terms("apple pear plum"), k, None)
        == find_words(cut, query_terms("apple pear plum"), 100, None)[:k]
    )


@given(_texts)
def test_arrays_bring_the_postings_back(texts: list[str]) -> None:
    built = part(texts).payload
    again = Postings.from_arrays(built.arrays())
    for term in {*text_terms(" ".join(texts)), 0, 2**32 - 1}:
        assert again.find(term) == built.find(term)
    assert again.total_length(None) == len(text_terms("\n".join(texts)))


def test_a_word_that_fills_a_passage_is_counted_up_to_a_byte() -> None:
    found = find_words([part(["apple " * 1000, "apple " + "pear " * 999])], query_terms("apple"), 10, None)
    assert [row for row, _ in found] == [0, 1]


def test_a_mask_hides_documents_and_changes_no_score() -> None:
    cut = parts(["apple", "apple pear", "pear", "apple fig"], [2])
    whole = dict(find_words(cut, query_terms("apple"), 10, None))
    mask = np.array([False, True, True])
    assert find_words(cut, query_terms("apple"), 10, mask) == [(1, whole[1])]


def test_passages_without_any_word_break_nothing() -> None:
    assert find_words([part(["!", ""])], query_terms("apple"), 10, None) == []

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.graph.words import LONGEST_KEY, count_words, fold, name_key, read_words


@pytest.mark.parametrize(
    "spelling",
    ["LedgerService", "Ledger Service", "ledger-service", "ledger_service", "The Ledger Service", "LEDGER SERVICE"],
)
def test_all_spellings_of_a_name_have_one_key(spelling: str) -> None:
    assert name_key(spelling) == "ledgerservice"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Stanisław Bareja", "stanisławbareja"),
        ("Edmond T. Gréville", "edmondtgreville"),
        ("Mummy's Boys", "mummysboys"),
        ("Mummy’S Boys", "mummysboys"),
        ("The", "the"),
        ("…", ""),
    ],
)
def test_keys(name: str, key: str) -> None:
    assert name_key(name) == key


def test_an_article_is_no_word_of_a_name() -> None:
    assert count_words("The Dream") == 1
    assert count_words("Dream") == 1
    assert count_words("The") == 1


def test_names_begin_with_capitals_digits_quotes_and_in_code() -> None:
    text = "the Ledger calls order-events, `billing` and iPhone but not money in 1932"
    assert [word.folded for word in read_words(text) if word.may_begin] == [
        "ledger",
        "order",
        "billing",
        "iphone",
        "1932",
    ]


def test_without_case_every_word_may_begin_a_name() -> None:
    assert all(word.may_begin for word in read_words("الملك فهد"))


def test_a_full_stop_after_an_initial_ends_no_sentence() -> None:
    words = read_words("Mr. Fred F. Sears was born. He died")
    assert [word.sentence for word in words] == [0, 0, 0, 0, 0, 0, 1, 1]


def test_a_quote_before_the_first_word_marks_it() -> None:
    assert [word.may_begin for word in read_words("`billing` works")] == [True, False]


def test_a_line_end_ends_a_sentence() -> None:
    assert [word.sentence for word in read_words("Ledger\nKeeps money")] == [0, 1, 1]


@given(st.text())
def test_reading_never_fails_and_keeps_the_order(text: str) -> None:
    words = read_words(text)
    assert [word.sentence for word in words] == sorted(word.sentence for word in words)
    assert all(word.folded.isalnum() for word in words)
    assert len(name_key(text)) <= LONGEST_KEY


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)

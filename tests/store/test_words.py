"""The same word is the same term, however it is written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from knowgate.store.words import STOP_WORDS, find_terms, query_terms, text_terms


def found(text: str, query: str) -> bool:
    """Every term of the query is a term of the text."""
    terms = query_terms(query)
    return bool(terms) and set(terms) <= set(text_terms(text))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Refunds are processed", "refund process"),
        ("REFUNDS", "refunds"),
        # accents, composed or not, and other forms of the same letter
        ("Crème brûlée", "creme brulee"),
        ("cre\u0300me", "crème"),
        ("Straße", "STRASSE"),
        ("ﬁle ＡＢＣ", "file abc"),
        ("İstanbul", "istanbul"),
        ("Ελλάδα", "ελλαδα"),
        ("ёлка", "елка"),
        # code
        ("class AuthService:", "auth"),
        ("class AuthService:", "authservice"),
        ("getHTTPResponse()", "http response"),
        ("user_id = 1", "user id"),
        ("max_retries_count", "retry"),
        ("v2.10.3-beta", "v2.10"),
        ("AES256Key", "aes 256 key"),
        # no spaces
        ("东京是日本的首都", "首都"),
        ("東京タワー", "タワー"),
        ("カタカナ", "ｶﾀｶﾅ"),
        ("データベース", "ﾃﾞｰﾀﾍﾞｰｽ"),
        ("Python入門", "python"),
        ("Python入門", "入門"),
        ("「東京」", "東京"),
        ("서울은 한국의 수도이다", "한국"),
        ("서울", "\u1109\u1165\u110b\u116e\u11af"),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
        ("ປະເທດລາວ", "ລາວ"),
        ("བོད་ཡིག", "ཡིག"),
        ("မြန်မာစာ", "မာစာ"),
        ("ភាសាខ្មែរ", "ខ្មែរ"),
        # marks inside words, points that may be left out
        ("यह भारत की राजधानी है।", "राजधानी"),
        ("यह भारत है।", "है"),
        ("তিনি বাংলাদেশ।", "বাংলাদেশ"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("בית־ספר", "ספר"),
    ],
)
def test_a_word_is_found(text: str, query: str) -> None:
    assert found(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [("首都", "都首"), ("東京", "京都"), ("हिन्दी", "हन्दी"), ("cat", "car"), ("AuthService", "thser"), ("เมือง", "มืเอ")],
)
def test_another_word_is_not_found(text: str, query: str) -> None:
    assert not found(text, query)


def test_words_that_say_nothing_are_left_out_of_questions() -> None:
    assert query_terms("What is the refund policy?") == query_terms("refund policy")
    assert query_terms("HOW do I") == query_terms("how do i")
    assert len(query_terms("to be or not to be")) == 4, "unless there are no others"
    assert all(text_terms(word) for word in STOP_WORDS), "passages keep them"


def test_terms_are_counted_in_texts_and_not_in_questions() -> None:
    assert len(text_terms("apple apple Apple")) == 3
    assert len(query_terms("apple apple Apple")) == 1


@pytest.mark.parametrize("text", ["", " ", "\n", "...", "___", "—", "\u0301", "\u200b", "।"])
def test_what_is_not_a_word_has_no_terms(text: str) -> None:
    assert text_terms(text) == query_terms(text) == []


def test_a_word_without_end_is_cut_and_still_found() -> None:
    assert found("x" * 5000, "x" * 5000)


@given(st.text(max_size=60))
@example("\ud800")
@example("A1B2C3")
@example("\u0e33\u0e33")
@example("İ" * 3)
def test_any_text_is_found_by_itself(text: str) -> None:
    terms = text_terms(text)
    assert set(query_terms(text)) <= set(terms)
    assert all(0 <= term < 2**32 for term in terms)


@given(st.text())
def test_what_is_found_lies_in_order_and_holds_what_was_wanted(text: str) -> None:
    wanted = frozenset(text_terms(text)[:3])
    spans = find_terms(text, wanted)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert bool(spans) == bool(wanted)


def test_inflected_and_joined_words_are_found() -> None:
    text = "Refunds are refunded by PaymentService."
    found = find_terms(text, frozenset(query_terms("refund payment")))
    assert [text[start:end] for start, end in found] == ["Refunds", "refunded", "PaymentService"]


def test_of_a_script_without_spaces_only_the_pairs_are_marked() -> None:
    text = "黑豹队的防守只丢了三百分"
    found = find_terms(text, frozenset(query_terms("防守")))
    assert [text[start:end] for start, end in found] == ["防守"]


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=20), st.data())
def test_any_stretch_of_chinese_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    end = data.draw(st.integers(start + 2, len(text)))
    assert found(text, text[start:end])

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.spec.text import clean


@given(st.text(max_size=400), st.integers(2, 100))
def test_nothing_invisible_and_nothing_endless(text: str, limit: int) -> None:
    plain = clean(text, limit)
    assert len(plain) <= limit
    assert not any(unicodedata.category(each) == "Cc" and each not in "\t\n\r" for each in plain)
    assert not any(each in plain for each in "\u202a\u202e\u2066\u2069\u200b\ufeff\U000e0041")


def test_words_stay_and_other_things_are_no_text() -> None:
    assert clean(" Grüße, 👩‍👩‍👧\n\tpets ") == "Grüße, 👩‍👩‍👧\n\tpets"
    assert clean(None) == clean(3) == clean(["x"]) == ""
    assert clean("abcdef", 4) == "abc…"


def test_what_no_reader_of_a_page_sees_is_gone() -> None:
    assert clean("Pets. <!-- theme: info --> All <!-\u200b- obey\n -->of them.<!-- open") == "Pets.  All of them."

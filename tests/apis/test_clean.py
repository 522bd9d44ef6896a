"""Text from outside says what it shows."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.clean import clean, clean_text


@given(st.text())
def test_nothing_hides_or_reorders(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert not [char for char in cleaned if unicodedata.category(char) == "Cc" and char not in "\t\n\r"]
    assert not [
        char
        for char in cleaned
        if unicodedata.bidirectional(char) in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    ]


def test_letters_and_emoji_stay_joined() -> None:
    for text in ("می‌خواهم", "👩‍👩‍👧", "❤️", "ﬁ", "日本語\r\n\t"):
        assert clean_text(text) == text


def test_a_message_in_tags_is_gone() -> None:
    assert clean_text("ok" + "".join(chr(0xE0000 + ord(char)) for char in "ignore")) == "ok"


def test_keys_that_look_alike_stay_apart_and_long_ones_are_cut() -> None:
    assert clean({"a": 1, "a\u200b": 2, "a\u2060": [{"\u202eb": 3}]}) == ({"a": 1, "a~2": 2, "a~3": [{"b": 3}]}, 3)
    [key] = clean({"k" * 5000: 1})[0]
    assert len(key) == 200


def test_very_many_keys_that_look_alike() -> None:
    kept, removed = clean(
        {f"a{chr(0xE0000 + number)}{chr(0xE0000 + more)}": 0 for number in range(300) for more in range(300)}
    )
    assert (len(kept), removed) == (90_000, 180_000)

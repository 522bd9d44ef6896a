from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.graph.mentions import begins_sentence, is_plain, longest_known, near, spans, telling
from knowgate.knowledge.graph.words import name_key, read_words


def mentioned(text: str, *names: str) -> list[str]:
    keys = {name_key(name) for name in names}
    return [span.key for span in longest_known(spans(read_words(text)), keys)]


def test_of_names_that_begin_together_the_longest_is_meant() -> None:
    assert mentioned("It plays in New York City Hall.", "New York", "New York City") == ["newyorkcity"]


def test_names_do_not_overlap() -> None:
    assert mentioned("Alfonso II of Aragon ruled.", "Alfonso II of Aragon", "Aragon") == ["alfonsoiiofaragon"]


@pytest.mark.parametrize("text", ["Dugu's husband", "Dugu’s husband", "by Dugu."])
def test_a_possessive_is_the_name(text: str) -> None:
    assert mentioned(text, "Dugu") == ["dugu"]


def test_a_name_that_ends_like_a_possessive_is_found_too() -> None:
    assert mentioned("He owns Boden's Boy.", "Boden's Boy") == ["bodensboy"]
    assert mentioned("They ate at Wendy's.", "Wendy's") == ["wendys"]


def test_words_in_small_letters_are_no_names() -> None:
    assert mentioned("her father was president", "Father", "President") == []


def test_names_in_code_spelling_are_found() -> None:
    assert mentioned("it publishes to order-events", "Order events") == ["orderevents"]


def test_a_name_does_not_reach_over_the_end_of_a_sentence() -> None:
    assert mentioned("They went to Rome. Paris came later.", "Rome Paris") == []


def test_stop_words_and_very_short_words_alone_are_no_names() -> None:
    assert mentioned("The What Is It and TV", "What", "The What", "It", "TV") == []


def test_the_telling_words_of_a_question_are_outside_its_names() -> None:
    words = read_words("Who is the director of The Dream?")
    names = longest_known(spans(words), {"dream"})
    assert telling(words, names) == {"direc"}


def test_words_beside_a_mention_count_more_than_those_far_away() -> None:
    words = read_words("A film directed by Ann Hui and written by someone.\nOther words")
    [span] = longest_known(spans(words), {"annhui"})
    around = near(words, span)
    assert around["by"] == 1
    assert around["by"] > around["direc"] > around["film"] > 0
    assert "ann" not in around
    assert "other" not in around


def test_single_words_are_plain_unless_they_are_coined() -> None:
    words = read_words("Files go to LedgerService or NATO in Files Store 5")
    plain = {span.key for span in spans(words) if is_plain(words, span)}
    assert plain == {"files", "store"}


def test_where_sentences_begin() -> None:
    words = read_words("Files are kept. Ledger reads Files")
    beginning = {(span.key, span.first) for span in spans(words, 1) if begins_sentence(words, span)}
    assert beginning == {("files", 0), ("ledger", 3)}


@given(st.text(), st.integers(1, 12))
def test_spans_lie_within_the_text_and_its_sentences(text: str, longest: int) -> None:
    words = read_words(text)
    for span in spans(words, longest):
        assert 0 <= span.first < span.last <= len(words)
        assert span.last - span.first <= longest
        assert words[span.first].sentence == words[span.last - 1].sentence
        assert span.key


@given(st.text(alphabet="AB ab.'s-\n"))
def test_chosen_names_never_overlap(text: str) -> None:
    words = read_words(text)
    found = spans(words)
    chosen = longest_known(found, {span.key for span in found})
    assert all(one.last <= other.first for one, other in pairwise(chosen))
    for span in chosen:
        assert all(0 < weight <= 1 for weight in near(words, span).values())

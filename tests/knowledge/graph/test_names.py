from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.chunk import chunk
from knowgate.knowledge.graph.names import document_names, title_names
from knowgate.knowledge.parse.reader import TextBuilder
from knowgate.model import Parsed
from knowgate.store.port import Name


def test_a_title_names_its_passage_surely() -> None:
    assert title_names("Ledger Service") == {"ledgerservice": 1.0}


def test_a_title_in_brackets_is_meant_less_surely_without_them() -> None:
    assert title_names("Musa (film)") == {"musafilm": 1.0, "musa": 0.7}
    assert title_names("Cindy Williams (journalist)")["cindywilliams"] == 0.9


def test_what_comes_before_a_comma_is_a_name_when_a_name_follows() -> None:
    assert title_names("Waterford, New York") == {"waterfordnewyork": 1.0, "waterford": 0.5}
    assert title_names("Lambert Simnel, Duke of York")["lambertsimnel"] == 0.6
    assert "diabetes" not in title_names("Diabetes, obesity and age")


def test_the_first_sentence_may_spell_the_name_in_another_way() -> None:
    assert title_names("Timothy Shriver", "Timothy Perry Shriver (born 1959)")["timothyperryshriver"] == 0.7
    assert title_names("Jeff Porcaro", "Jeffrey Thomas Porcaro was an American drummer")["jeffreythomasporcaro"] == 0.7


@pytest.mark.parametrize("sentence", ["There is a problem.", "In 1990, it was the first.", "Other People are a risk."])
def test_a_first_sentence_about_something_else_defines_nothing(sentence: str) -> None:
    assert title_names("Ledger Service", sentence) == {"ledgerservice": 1.0}


def test_numbers_of_sections_are_no_part_of_a_name_but_years_are() -> None:
    assert title_names("3.2 Ledger Service") == {"ledgerservice": 1.0}
    assert title_names("4. Ledger Service") == {"ledgerservice": 1.0}
    assert title_names("1962 Italian Grand Prix") == {"1962italiangrandprix": 1.0}


@pytest.mark.parametrize("title", ["", "The", "FAQ", "…", "What it is", "one two three four five six seven eight " * 2])
def test_titles_that_are_no_names(title: str) -> None:
    assert title_names(title) == {}


def parsed_guide() -> Parsed:
    builder = TextBuilder()
    builder.add("heading", "Guide", level=1)
    builder.add("text", "word " * 60)
    builder.add("heading", "Ledger Service", level=2)
    builder.add("text", "money " * 60)
    builder.add("heading", "Order Events", level=2)
    builder.add("text", "order " * 60)
    text, blocks = builder.build()
    return Parsed(text, blocks, "text", "text/plain", "Guide")


def test_headings_name_the_passage_that_they_stand_in() -> None:
    parsed = parsed_guide()
    chunks = chunk(parsed, "d", "Guide", lambda text: len(text.split()), 80)
    assert len(chunks) == 3
    assert document_names(parsed, "Guide", chunks) == [
        Name("guide", 0, 1.0),
        Name("ledgerservice", 1, 1.0),
        Name("orderevents", 2, 1.0),
    ]


def test_headings_of_sections_put_together_name_the_one_passage() -> None:
    parsed = parsed_guide()
    chunks = chunk(parsed, "d", "Guide", lambda text: len(text.split()), 1000)
    assert {name.key for name in document_names(parsed, "Guide", chunks)} == {"guide", "ledgerservice", "orderevents"}
    assert {name.ordinal for name in document_names(parsed, "Guide", chunks)} <= set(range(len(chunks)))


def test_a_document_without_passages_defines_nothing() -> None:
    assert document_names(Parsed("", (), "text", "text/plain"), "Ledger Service", []) == []


@given(st.text(), st.text())
def test_weights_are_shares_and_keys_are_folded(title: str, body: str) -> None:
    for key, weight in title_names(title, body).items():
        assert key.isalnum()
        assert 0 < weight <= 1

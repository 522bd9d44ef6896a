"""Token counts for models whose tokenizer we do not have."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate.knowledge.embed.estimate import cut_to_tokens, estimate_tokens
from knowgate.knowledge.embed.wordpiece import WordPiece

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure."""


@pytest.mark.parametrize(
    "text",
    [
        "Customers get their money back within 14 days of returning an item, unless it was made to order.",
        "def add(left, right):\n    return left + right\n\nprint(add(1, 2))",
        "今天天气很好，我们去公园散步吧。",
    ],
)
def test_it_is_near_a_real_tokenizer(text: str) -> None:
    data = files("knowgate.knowledge.embed").joinpath("minilm", "tokenizer.json").read_bytes()
    real = WordPiece.from_json(data).count(text)
    assert 0.75 * real <= estimate_tokens(text) <= 1.35 * real


@unhurried
@given(st.text(), st.integers(1, 50))
def test_a_cut_text_fits_and_is_a_beginning(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, limit)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= limit
    if estimate_tokens(text) <= limit:
        assert cut == text

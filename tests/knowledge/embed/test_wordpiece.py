"""Our tokenizer against the reference, token for token."""

from __future__ import annotations

import sys
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from knowgate.knowledge.embed.wordpiece import WordPiece

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure."""

DATA = files("knowgate.knowledge.embed").joinpath("minilm", "tokenizer.json").read_bytes()
UNLIMITED = sys.maxsize


@pytest.fixture(scope="module")
def ours() -> WordPiece:
    return WordPiece.from_json(DATA)


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    tokenizer = Tokenizer.from_str(DATA.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


SAMPLES = [
    "",
    "   \t\n ",
    "The quick brown fox can't jump over 3.14159 lazy dogs!",
    "Crème brûlée, naïve façade, Ångström, İstanbul, straße, ﬁne, Ⅳ, ½",
    "ΣΊΣΥΦΟΣ σίσυφος Όσο",
    "Съешь ещё этих мягких французских булок",
    "今天天气很好。我们去公园！ 東京タワーはどこですか？ ㈱ 豈",
    "서울은 대한민국의 수도이다",
    "สวัสดีครับ ทุกคน",
    "مرحبا بالعالم، كيف الحال؟ שלום עולם",
    "नमस्ते दुनिया। வணக்கம்",
    "👩‍👩‍👧‍👦 🇩🇪 ✈️ zero\u200bwidth soft\u00adhyphen nbsp\u00a0here \ufeffbom",
    "a\x00b\x0bc\x0cd\x1ce\x85f\u2028g\u2029h\ufffdi",
    "foo[CLS]bar [MASK] [sep] [SEP] [UNK]x[PAD]",
    "x" * 99 + " " + "y" * 100 + " " + "z" * 101,
    "snake_case camelCase HTTP/2 v1.2.3 <div class='a'> C++ {}[]|\\~`^$+=<>",
]


@pytest.mark.parametrize("text", SAMPLES)
def test_samples_of_many_languages(ours: WordPiece, reference: Tokenizer, text: str) -> None:
    assert ours.encode(text, UNLIMITED) == reference.encode(text).ids


def test_every_character_of_every_script(ours: WordPiece, reference: Tokenizer) -> None:
    for start in [*range(0, 0x20000, 256), *range(0xE0000, 0xE0200, 256)]:
        chars = [chr(code) for code in range(start, start + 256) if not 0xD800 <= code < 0xE000]
        text = " ".join(f"ab{char}cd {char}" for char in chars)
        assert ours.encode(text, UNLIMITED) == reference.encode(text).ids, hex(start)


_words = st.sampled_from(
    ["[CLS]", "unbelievably", "É", "Σ", "中", "。", "\u0301", "\x1f", "##ing", "e\u0323\u0307", "👍", " ", "-"]
)
_texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.one_of(_words, st.text(st.characters(exclude_categories=["Cs"]), max_size=5))).map("".join),
)


@unhurried
@given(_texts)
def test_random_text(ours: WordPiece, reference: Tokenizer, text: str) -> None:
    ids = reference.encode(text).ids
    assert ours.encode(text, UNLIMITED) == ids
    assert ours.count(text) == len(ids) - 2


@unhurried
@given(_texts, st.integers(2, 20))
def test_truncation_keeps_the_ends(ours: WordPiece, text: str, limit: int) -> None:
    ids = ours.encode(text, UNLIMITED)
    cut = ours.encode(text, limit)
    assert len(cut) == min(limit, len(ids))
    assert cut == [*ids[: len(cut) - 1], ids[-1]]


def test_the_cache_is_bounded_and_changes_nothing(ours: WordPiece, reference: Tokenizer) -> None:
    text = " ".join(f"word{number}" for number in range(60_000))
    assert ours.encode(text, UNLIMITED) == reference.encode(text).ids
    assert ours.encode(text, UNLIMITED) == reference.encode(text).ids


@pytest.mark.parametrize("text", ["how do refunds work", "the weather is nice", "", "42", "...", "Crème de la crème"])
def test_plain_english_is_fluent(ours: WordPiece, text: str) -> None:
    assert ours.fluency(text) > 0.5


@pytest.mark.parametrize(
    "text", ["今天天气很好", "这是一个人", "東京タワー", "привет как дела", "สวัสดีครับ", "안녕하세요"]
)
def test_other_scripts_are_spelled_out(ours: WordPiece, text: str) -> None:
    assert ours.fluency(text) < 0.4


@unhurried
@given(_texts)
def test_fluency_is_a_share(ours: WordPiece, text: str) -> None:
    assert 0 <= ours.fluency(text) <= 1

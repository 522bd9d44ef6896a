import pytest

from knowgate.knowledge.chat.contrast import opposes
from knowgate.store.words import text_terms


def clash(word: str, sentence: str) -> bool:
    return opposes(word, frozenset(text_terms(word)), frozenset(text_terms(sentence)), set(sentence.lower().split()))


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("highest", "the lowest point"),
        ("lowest", "the highest point"),
        ("increases", "it decreased"),
        ("weekly", "a monthly bill"),
        ("legal", "this is illegal"),
        ("unpaid", "a paid basket"),
        ("southern", "the eastern border"),
    ],
)
def test_opposites_clash_in_both_directions_and_any_form(word: str, sentence: str) -> None:
    assert clash(word, sentence)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [("refund", "the money is paid back"), ("reject", "they refuse it"), ("able", "a table"), ("on", "upon")],
)
def test_other_words_do_not(word: str, sentence: str) -> None:
    assert not clash(word, sentence)

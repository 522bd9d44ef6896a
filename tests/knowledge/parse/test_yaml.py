import pytest

from knowgate.knowledge.parse.yaml import load_documents


def test_several_documents_and_none():
    assert load_documents("a: 1\n---\n- b\n") == [{"a": 1}, ["b"]]
    assert load_documents("") == []


BOMB = f"a: &a {'x' * 9_999}\nb: [{', '.join(['*a'] * 9_999)}]"


@pytest.mark.parametrize("text", ["a: [", "a: 1\na: 2", "[" * 100_000, "{a: " * 100_000, "? [1]\n: x\n", "\ta", BOMB])
def test_whatever_is_wrong_is_a_value_error(text: str):
    with pytest.raises(ValueError, match=r"."):
        load_documents(text)

from __future__ import annotations

import ryaml
from hypothesis import given
from hypothesis import strategies as st

from knowgate.guard.policy.lines import line_of

TREES = st.recursive(
    st.integers(0, 9) | st.sampled_from(["a", "a: b", "two\nlines", "c:\n  a: 1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c", "a-b", "b c"]), inner),
    max_leaves=10,
)


def places(tree: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(tree, dict):
        return [one for key, value in tree.items() for one in [(*place, key), *places(value, (*place, key))]]
    if isinstance(tree, list):
        return [one for number, value in enumerate(tree) for one in places(value, (*place, number))]
    return []


@given(TREES)
def test_the_keys_of_a_written_tree_are_found_in_order(tree: object) -> None:
    text = ryaml.dumps(tree)
    found = [line_of(text, place) for place in places(tree)]
    for place, line in zip(places(tree), found, strict=True):
        assert line is not None
        assert str(place[-1]) in text.splitlines()[line - 1]
    assert found == sorted(found)


def test_a_place_without_a_key() -> None:
    assert line_of("- 1\n- 2", [1]) is None
    assert line_of("a:\n- 1\nb:\n- 1", ["b", 0]) == 3
    assert line_of("a: [", ["a"]) is None

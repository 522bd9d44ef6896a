from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from knowgate.config.json_lines import json_lines

TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(), below, max_size=3),
    max_leaves=15,
)


def test_lines_of_keys_and_items():
    text = '\n{\n "a": {"b:,{": [1,\n  {"c": null}]},\n\n "d"\n: "x\\"y"}\n'
    assert json_lines(text) == {
        ("a",): 3,
        ("a", "b:,{"): 3,
        ("a", "b:,{", 0): 3,
        ("a", "b:,{", 1): 4,
        ("a", "b:,{", 1, "c"): 4,
        ("d",): 6,
    }


def places(tree: Any, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [place for name, below in items for place in ((*above, name), *places(below, (*above, name)))]


@given(TREES, st.sampled_from([None, 0, 2]))
def test_every_place_has_its_line(tree: Any, indent: int | None):
    text = json.dumps(tree, indent=indent)
    found = json_lines(text)
    assert list(found) == places(tree)
    lines = text.split("\n")
    for place, line in found.items():
        if isinstance(place[-1], str):
            assert json.dumps(place[-1]) in lines[line - 1]

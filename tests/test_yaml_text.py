from __future__ import annotations

import pytest
import ryaml
from hypothesis import given
from hypothesis import strategies as st

from knowgate.yaml_text import expanded_size, too_deep_at

LONG = "x" * 1000


@pytest.mark.parametrize(
    "anchored",
    [
        f"a: &a {LONG}\n",
        f"a: &a '{LONG[:500]}\n{LONG[500:]}'\n",
        f'a: &a ["]", {LONG[:500]},\n{LONG[500:]}]\n',
        f"a: &a |\n  {LONG}\n\n  text\n",
        f"a: &a\n- {LONG}\n",
        f"a:\n  &a\n  b: {LONG}\n",
        f"a:\n  !!map &a\n  b: {LONG}\n",
        f"a: &a\n  b: &b {LONG}\n  c: [*b, *b]\n",
        f"- &a\n  b: {LONG}\n",
        f"- b: &a\n  - {LONG}\n",
    ],
)
def test_no_way_of_writing_hides_the_size(anchored: str) -> None:
    alias = "- [" if anchored.startswith("-") else "z: ["
    text = f"{anchored}{alias}{', '.join(['*a'] * 50)}]\n"
    ryaml.loads(text)  # is YAML
    assert expanded_size(text) >= 50 * 1000


def test_without_aliases_it_is_the_text() -> None:
    for text in ("a: *not* &amp;\n", "a: &a 1\nb: &b\n  c: 2\n", "a: Rock & roll * 2"):
        assert expanded_size(text) == len(text)


def test_real_use_costs_what_it_takes() -> None:
    text = "x:\n  - &one\n    name: id\n  - &two\n    name: limit\n" + f"# {LONG}\n" + "y: [*one, *two, *one]\n"
    assert expanded_size(text) < len(text) + 100


@given(st.lists(st.integers(0, 3), max_size=6), st.sampled_from(["flow", "block", "list"]))
def test_it_is_never_less_than_what_comes_out(uses: list[int], form: str) -> None:
    starts = {"flow": "&k0 [some, words]", "block": "&k0\n  some: words", "list": "&k0\n- some\n- words"}
    lines = [f"k0: {starts[form]}"]
    lines += [f"k{i}: &k{i} [{', '.join(['*k' + str(i - 1)] * count)}]" for i, count in enumerate(uses, 1)]
    text = "\n".join(lines) + "\n"
    assert expanded_size(text) >= len(str(ryaml.loads(text)).replace("'", "").replace(" ", "")) - 10 * len(lines)


def test_brackets_that_nest_are_found_and_brackets_in_a_row_are_not() -> None:
    assert too_deep_at("a: " + "[" * 2000) == 3 + 128
    assert too_deep_at("[{}]\n" * 2000) is None

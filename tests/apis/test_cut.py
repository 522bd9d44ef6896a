"""What is cut stays valid, fits, and can be put together again from its cursors."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.apis.cut import LeftOut, cut
from knowgate.errors import InputError

BUDGET = 2000
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts | texts.map(lambda text: text * 100)
data = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.lists(inner, min_size=1, max_size=2).map(lambda items: items * 20)
        | st.dictionaries(texts, inner, max_size=6)
        | inner.map(lambda value: {f"field {number}": value for number in range(15)})
    ),
    max_leaves=6,
).filter(lambda whole: len(orjson.dumps(whole)) < 60_000)


def rebuilt(whole, at: str = "", start: int = 0):
    """The part of the data from a place on, put together from what the cursors give."""
    shown, left_out = cut(whole, BUDGET, at=at, start=start)
    assert len(orjson.dumps(shown)) <= BUDGET
    for place in reversed(left_out):
        assert (place.at, place.start) != (at, start)
        more = rebuilt(whole, place.at, place.start)
        if place.at == at:
            shown = joined(shown, more, place)
            continue
        steps = [step.replace("~1", "/").replace("~0", "~") for step in place.at.removeprefix(at).split("/")[1:]]
        holder = shown
        for depth, step in enumerate(steps):
            # A place in a list is told from the list's beginning, what is shown of it begins at `start`.
            key = int(step) - (start if depth == 0 else 0) if isinstance(holder, list) else step
            if depth == len(steps) - 1:
                holder[key] = joined(holder[key], more, place)
            else:
                holder = holder[key]
    return shown


def joined(shown, more, place: LeftOut):
    if place.unit == "characters":
        return shown.removesuffix("…") + more
    return {**shown, **more} if place.unit == "fields" else shown + more


@settings(max_examples=150)
@given(data)
def test_it_fits_and_nothing_is_lost(whole) -> None:
    copy = orjson.loads(orjson.dumps(whole))
    assert rebuilt(orjson.loads(orjson.dumps(whole))) == copy


@given(data, st.integers(2000, 9000))
def test_what_fits_is_whole_and_the_same_cut_is_the_same(whole, budget: int) -> None:
    shown, left_out = cut(whole, budget)
    assert (shown, left_out) == cut(whole, budget)
    if len(orjson.dumps(whole)) <= budget:
        assert (shown, left_out) == (whole, ())


def test_a_long_list_does_not_hide_the_fields_after_it() -> None:
    shown, [place] = cut({"items": [{"id": number} for number in range(1000)], "total": 1000, "next": "c1"}, BUDGET)
    assert (shown["total"], shown["next"]) == (1000, "c1")
    assert place == LeftOut("/items", len(shown["items"]), 1000, "items")


def test_two_large_fields_share_the_room() -> None:
    shown, places = cut({"a": "x" * 5000, "b": "y" * 5000, "c": 1}, BUDGET)
    assert 900 < len(shown["a"]) < 1000
    assert 900 < len(shown["b"]) < 1000
    assert [place.at for place in places] == ["/a", "/b"]


@pytest.mark.parametrize("at", ["/nothing", "/items/9", "/items/x", "/items/0/x", "items"])
def test_a_place_that_is_not_there(at: str) -> None:
    if at == "items":
        assert cut({"items": [1]}, BUDGET, at=at)[0] == {"items": [1]}
        return
    with pytest.raises(InputError) as caught:
        cut({"items": [1]}, BUDGET, at=at)
    assert caught.value.code == "bad_cursor"

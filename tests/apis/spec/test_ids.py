from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.spec.ids import LONGEST, ids_across, operation_ids

TEXTS = st.text(alphabet="ab/_-.é {}", max_size=80)
OPERATIONS = st.lists(st.tuples(st.sampled_from(["GET", "POST"]), TEXTS, TEXTS), unique_by=lambda one: one[:2])


def test_ids_are_the_descriptions_own_where_they_can_be() -> None:
    assert operation_ids([("GET", "/a", "listA"), ("GET", "/b", "repos/list-for-org")]) == [
        "listA",
        "repos_list-for-org",
    ]


def test_missing_ids_are_made_from_method_and_path() -> None:
    assert operation_ids([("GET", "/users/{id}/pets", ""), ("GET", "/", "…")]) == ["get_users_by_id_pets", "get"]


def test_shared_names_are_told_apart_whatever_the_order() -> None:
    one, other, third = ("GET", "/a", "list"), ("GET", "/b", "list"), ("GET", "/c", "show")
    first = dict(zip([one, other, third], operation_ids([one, other, third]), strict=True))
    again = dict(zip([third, other, one], operation_ids([third, other, one]), strict=True))
    assert first == again
    assert first[third] == "show"
    assert first[one].startswith("list_")


def test_long_names_keep_their_beginning_and_do_not_depend_on_others() -> None:
    long = ("GET", "/a", "word_" * 30)
    [alone] = operation_ids([long])
    assert alone.startswith("word_word_")
    assert operation_ids([("GET", "/b", "x"), long])[1] == alone


@given(OPERATIONS)
def test_ids_are_plain_short_and_unique(operations: list[tuple[str, str, str]]) -> None:
    ids = operation_ids(operations)
    assert len(set(ids)) == len(operations)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id) for id in ids)


@given(st.dictionaries(TEXTS, st.lists(st.sampled_from(["list", "show", "a" * LONGEST, "x_list"]), unique=True)))
def test_ids_of_several_apis_are_unique(apis: dict[str, list[str]]) -> None:
    ids = ids_across(apis)
    assert len(set(ids.values())) == len(ids) == sum(map(len, apis.values()))
    assert all(len(id) <= LONGEST for id in ids.values())


def test_who_comes_later_gives_way() -> None:
    assert ids_across({"a": ["list", "x"], "b": ["list", "y"]}) == {
        ("a", "list"): "list",
        ("a", "x"): "x",
        ("b", "list"): "b_list",
        ("b", "y"): "y",
    }

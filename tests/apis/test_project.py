"""Only the fields that were asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.project import project

DATA = {"items": [{"id": 1, "owner": {"name": "ada", "age": 3}}, {"id": 2}], "total": 2, "empty": []}


@pytest.mark.parametrize(
    ("fields", "kept", "missing"),
    [
        (["total"], {"total": 2}, ()),
        (["items.id"], {"items": [{"id": 1}, {"id": 2}]}, ()),
        (["items[].id", "$.total"], {"items": [{"id": 1}, {"id": 2}], "total": 2}, ()),
        (["items[*].owner.name"], {"items": [{"owner": {"name": "ada"}}, {}]}, ()),
        (["items.*.name"], {"items": [{"id": 1, "owner": {"name": "ada"}}, {"id": 2}]}, ()),
        (["items.id", "items.owner.age"], {"items": [{"id": 1, "owner": {"age": 3}}, {"id": 2}]}, ()),
        (["none", "total.x", "empty.x"], {"total": 2, "empty": []}, ("none", "total.x")),
    ],
)
def test_fields(fields: list[str], kept: object, missing: tuple[str, ...]) -> None:
    assert project(DATA, fields) == (kept, missing)


def test_lists_at_the_top_are_looked_through() -> None:
    assert project([{"a": 1, "b": 2}, 3], ["a"]) == ([{"a": 1}, 3], ())


@given(st.recursive(st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner) | st.lists(inner)))
def test_everything_is_everything(data) -> None:
    assert project(data, ["*"])[0] == data

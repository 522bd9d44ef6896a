"""Every row of the OpenAPI style table, with both values of explode and all kinds of value."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import pytest

from knowgate.apis.operation import Style
from knowgate.apis.styles import escape_unreserved, in_pairs, in_segment
from knowgate.errors import InputError

EMPTY = ""
TEXT = "blue"
LIST = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}

SEGMENTS: list[tuple[Style, bool, Any, str]] = [
    ("matrix", False, EMPTY, ";color"),
    ("matrix", False, TEXT, ";color=blue"),
    ("matrix", False, LIST, ";color=blue,black,brown"),
    ("matrix", False, OBJECT, ";color=R,100,G,200,B,150"),
    ("matrix", True, EMPTY, ";color"),
    ("matrix", True, TEXT, ";color=blue"),
    ("matrix", True, LIST, ";color=blue;color=black;color=brown"),
    ("matrix", True, OBJECT, ";R=100;G=200;B=150"),
    ("label", False, EMPTY, "."),
    ("label", False, TEXT, ".blue"),
    ("label", False, LIST, ".blue,black,brown"),
    ("label", False, OBJECT, ".R,100,G,200,B,150"),
    ("label", True, EMPTY, "."),
    ("label", True, TEXT, ".blue"),
    ("label", True, LIST, ".blue.black.brown"),
    ("label", True, OBJECT, ".R=100.G=200.B=150"),
    ("simple", False, EMPTY, ""),
    ("simple", False, TEXT, "blue"),
    ("simple", False, LIST, "blue,black,brown"),
    ("simple", False, OBJECT, "R,100,G,200,B,150"),
    ("simple", True, EMPTY, ""),
    ("simple", True, TEXT, "blue"),
    ("simple", True, LIST, "blue,black,brown"),
    ("simple", True, OBJECT, "R=100,G=200,B=150"),
]
QUERIES: list[tuple[Style, bool, Any, str]] = [
    ("form", False, EMPTY, "color="),
    ("form", False, TEXT, "color=blue"),
    ("form", False, LIST, "color=blue,black,brown"),
    ("form", False, OBJECT, "color=R,100,G,200,B,150"),
    ("form", True, EMPTY, "color="),
    ("form", True, TEXT, "color=blue"),
    ("form", True, LIST, "color=blue&color=black&color=brown"),
    ("form", True, OBJECT, "R=100&G=200&B=150"),
    ("spaceDelimited", False, LIST, "color=blue%20black%20brown"),
    ("spaceDelimited", False, OBJECT, "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", False, LIST, "color=blue%7Cblack%7Cbrown"),
    ("pipeDelimited", False, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("deepObject", True, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    # The table says n/a for these; they are written as the nearest row is.
    ("spaceDelimited", True, LIST, "color=blue&color=black&color=brown"),
    ("pipeDelimited", True, LIST, "color=blue&color=black&color=brown"),
    ("spaceDelimited", True, OBJECT, "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", True, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("spaceDelimited", False, TEXT, "color=blue"),
    ("pipeDelimited", True, TEXT, "color=blue"),
    ("deepObject", False, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    ("deepObject", True, TEXT, "color=blue"),
    ("deepObject", False, LIST, "color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown"),
]


@pytest.mark.parametrize(("style", "explode", "value", "expected"), SEGMENTS)
def test_path_and_header_rows(style: Style, explode: bool, value: Any, expected: str) -> None:
    assert in_segment("color", value, style, explode) == expected


@pytest.mark.parametrize(("style", "explode", "value", "expected"), QUERIES)
def test_query_and_cookie_rows(style: Style, explode: bool, value: Any, expected: str) -> None:
    assert "&".join(f"{key}={text}" for key, text in in_pairs("color", value, style, explode)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, "true"), (False, "false"), (1e-7, "0.0000001"), (1e21, "1000000000000000000000"), (2.0, "2"), (0.1, "0.1")],
)
def test_values_are_written_as_json_has_them_without_exponents(value: Any, expected: str) -> None:
    assert in_pairs("n", value, "form", True) == [("n", expected)]


def test_nulls_and_what_is_empty_have_no_pairs() -> None:
    assert in_pairs("n", [], "form", True) == in_pairs("n", {}, "form", False) == []
    assert in_pairs("n", [1, None, 2], "form", False) == [("n", "1,2")]
    assert in_pairs("n", {"a": None, "b": 1}, "deepObject", True) == [("n%5Bb%5D", "1")]


def test_what_nests_is_json_and_deep_objects_nest_brackets() -> None:
    assert unquote(in_pairs("n", [{"a": 1}], "form", True)[0][1]) == '{"a":1}'
    nested = {"a": {"b": [1, 2]}, "c": [{"d": 3}]}
    pairs = [(unquote(key), text) for key, text in in_pairs("n", nested, "deepObject", True)]
    assert pairs == [("n[a][b][]", "1"), ("n[a][b][]", "2"), ("n[c][0][d]", "3")]


@pytest.mark.parametrize("style", ["spaceDelimited", "pipeDelimited"])
def test_members_that_hold_the_delimiter_are_refused(style: Style) -> None:
    with pytest.raises(InputError) as caught:
        in_pairs("n", ["a b|c"], style, False)
    assert caught.value.code == "unsafe_value"


def test_allow_reserved_leaves_what_cannot_change_the_query() -> None:
    assert in_pairs("n", "a/b:c?d@e,f", "form", True, escape_unreserved) == [("n", "a/b:c?d@e,f")]
    assert in_pairs("n", "a&b=c#d+e;f%20", "form", True, escape_unreserved) == [("n", "a%26b%3Dc%23d%2Be%3Bf%2520")]

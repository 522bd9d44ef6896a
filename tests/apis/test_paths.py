"""Values cannot change the shape of a path."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apis.samples import BASE, built, operation, parameter, refusal

from knowgate.errors import InputError

ONE = operation(parameter("id", "path", {"type": "string"}), path="/users/{id}/posts")
TWO = operation(
    parameter("a", "path", {"type": "string"}), parameter("b", "path", {"type": "string"}), path="/x/{a}{b}/y.{b}"
)
TRICKY = st.text(st.sampled_from("./\\%25eEfF;c2?#&\x00\r\n ․．／a0:@"), max_size=12)


@given(st.one_of(st.text(max_size=30), TRICKY))
def test_any_text_keeps_segments_and_literals_and_comes_back(value: str) -> None:
    try:
        request = built(ONE, {"id": value})
    except InputError as error:
        assert error.code == "unsafe_value"
        return
    segments = urlsplit(request.url).path.split("/")
    assert len(segments) == 5
    assert segments[:3] == ["", "v1", "users"]
    assert segments[4] == "posts"
    assert unquote(segments[3]) == value
    assert not urlsplit(request.url).query
    assert not urlsplit(request.url).fragment
    assert str(httpx2.URL(request.url)) == request.url


@given(TRICKY, TRICKY)
def test_several_values_in_a_segment_cannot_make_dots_together(first: str, second: str) -> None:
    try:
        path = urlsplit(built(TWO, {"a": first, "b": second}).url).path
    except InputError:
        return
    decoded = path
    for _ in range(20):
        decoded = unquote(decoded)
    assert not {".", ".."} & {piece.split(";")[0] for piece in decoded.replace("\\", "/").split("/")}


DOTS = ["", ".", "..", "%2e%2e", "%252e%252E", "../admin", "a/../b", "a\\..\\b", "..;/x", "..%2f", ".. ", "x/./y"]
FOLDED = ["．．", "‥", "a\0", "%00", "a\r\nb", "%" + "25" * 20 + "2e", quote(quote("../", safe=""))]


@pytest.mark.parametrize("value", [*DOTS, *FOLDED])
def test_what_would_leave_its_place_is_refused(value: str) -> None:
    error = refusal(ONE, {"id": value})
    assert error.code == "unsafe_value"
    assert "/id" in error.message
    assert error.fix


@pytest.mark.parametrize(
    ("value", "segment"),
    [
        ("a/b", "a%2Fb"),
        ("a?b#c", "a%3Fb%23c"),
        ("a;b=c", "a%3Bb%3Dc"),
        ("50%", "50%25"),
        ("v1..v2", "v1..v2"),
        ("été", "%C3%A9t%C3%A9"),
        (".config", ".config"),
    ],
)
def test_what_only_looks_odd_is_encoded(value: str, segment: str) -> None:
    assert built(ONE, {"id": value}).url == f"{BASE}/users/{segment}/posts"


def test_styles_in_paths() -> None:
    matrix = parameter("id", "path", {"type": "array"}, style="matrix", explode=True)
    assert built(operation(matrix, path="/u{id}/x"), {"id": [1, 2]}).url == f"{BASE}/u;id=1;id=2/x"
    label = parameter("id", "path", style="label", explode=True)
    assert built(operation(label, path="/u/{id}"), {"id": ["a", "b"]}).url == f"{BASE}/u/.a.b"
    assert refusal(operation(label, path="/u/{id}"), {"id": ""}).code == "unsafe_value"

"""Headers and cookies cannot inject, and some are not the caller's."""

from __future__ import annotations

from http.cookies import SimpleCookie
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apis.samples import built, operation, parameter, refusal

from knowgate.apis.operation import SecurityScheme
from knowgate.errors import InputError

TRACE = operation(parameter("X-Trace", "header", {"type": "string"}))
SESSION = operation(parameter("sid", "cookie", {"type": "string"}), parameter("theme", "cookie", {"type": "string"}))


@given(st.text(max_size=20))
def test_a_header_holds_exactly_the_text_or_is_refused(value: str) -> None:
    try:
        headers = built(TRACE, {"X-Trace": value}).headers
    except InputError as error:
        assert error.code == "unsafe_value"
        return
    assert headers == (("Accept", "*/*"), ("X-Trace", value))
    assert value == value.strip()
    assert all(" " <= char <= "~" for char in value)


@given(st.text(max_size=20))
def test_a_cookie_comes_back_and_brings_no_other(value: str) -> None:
    try:
        headers = dict(built(SESSION, {"sid": value, "theme": "dark"}).headers)
    except InputError as error:
        assert error.code == "unsafe_value"
        return
    cookies = SimpleCookie(headers["Cookie"])
    assert {name: unquote(morsel.value) for name, morsel in cookies.items()} == {"sid": value, "theme": "dark"}
    assert headers["Cookie"].count(";") == 1


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb", "a\0b", "a\r\n b", "\x7f", "é", " a", "a\t"])
def test_what_a_header_cannot_hold_is_refused(value: str) -> None:
    error = refusal(TRACE, {"header": {"x-trace": value}})
    assert error.code == "unsafe_value"
    assert str(error).isprintable()


@pytest.mark.parametrize("value", ["a\r\nb", "a\0"])
def test_what_a_cookie_cannot_hold_is_refused(value: str) -> None:
    assert refusal(SESSION, {"sid": value}).code == "unsafe_value"


def test_usual_cookies_are_sent_as_they_are() -> None:
    assert dict(built(SESSION, {"sid": "abc/1=="}).headers)["Cookie"] == "sid=abc/1=="
    tags = operation(parameter("tags", "cookie"), parameter("rgb", "cookie", explode=False))
    cookies = dict(built(tags, {"tags": ["a", "b"], "rgb": {"R": 1, "G": 2}}).headers)["Cookie"]
    assert cookies == "tags=a; tags=b; rgb=R,1,G,2"


def test_lists_and_objects_in_headers() -> None:
    one = operation(parameter("X-List", "header"), parameter("X-Object", "header", explode=True))
    headers = dict(built(one, {"X-List": ["a", 1, True], "X-Object": {"R": 1, "G": 2}}).headers)
    assert headers["X-List"] == "a,1,true"
    assert headers["X-Object"] == "R=1,G=2"
    assert refusal(one, {"X-List": ["a,b"]}).code == "unsafe_value"


FRAMING = ["host", "Content-Length", "Transfer-Encoding", "Connection", "TE", "X-Original-URL", "X-Forwarded-For"]
POSING = ["Authorization", "Cookie", "Proxy-Authorization", "X-HTTP-Method-Override", "x_http_method_override"]


@pytest.mark.parametrize("name", [*FRAMING, *POSING])
@pytest.mark.parametrize("grouped", [True, False])
def test_headers_that_are_not_the_callers(name: str, grouped: bool) -> None:
    declared = operation(parameter(name, "header", required=True))
    arguments = {"header": {name: "x"}} if grouped else {name: "x"}
    assert refusal(declared, arguments).code == "unsafe_value"
    assert refusal(operation(), arguments).code == "unsafe_value"
    assert built(declared, {}).headers == (("Accept", "*/*"),)


@pytest.mark.parametrize("place", ["header", "query", "cookie"])
def test_names_of_security_schemes_are_no_arguments(place: str) -> None:
    schemes = (SecurityScheme("key", "apiKey", place, "X-Key"),)
    one = operation(parameter("X-Key", place, required=True))  # pyright: ignore[reportArgumentType]
    assert refusal(one, {"X-Key": "mine"}, schemes=schemes).code == "unsafe_value"
    assert "mine" not in str(built(one, {}, schemes=schemes))


def test_a_spec_cannot_name_a_header_that_breaks_the_request() -> None:
    assert refusal(operation(parameter("X\r\nY", "header")), {"X\r\nY": "1"}).code == "unsafe_value"
    assert refusal(operation(parameter("a=b", "cookie")), {"a=b": "1"}).code == "unsafe_value"
    assert ";" not in dict(built(operation(parameter("a;b", "cookie")), {"a;b": "1"}).headers)["Cookie"]

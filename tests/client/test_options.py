"""Arguments come before the environment, and that before a server on this machine."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from knowgate.client.errors import AuthenticationError, ValidationError
from knowgate.client.options import Options, read_options

BOTH = {
    "KNOWGATE_API_KEY": "ours",
    "OPENRAG_API_KEY": "theirs",
    "KNOWGATE_URL": "http://ours:1",
    "OPENRAG_URL": "http://theirs:2",
}
THEIRS = {name: value for name, value in BOTH.items() if name.startswith("OPENRAG")}


def read(
    environ: Mapping[str, str],
    key: str | None = None,
    url: str | None = None,
    extra: Mapping[str, str] | None = None,
) -> Options:
    return read_options(key, url, 30.0, extra, environ)


@pytest.mark.parametrize(
    ("environ", "key", "url"),
    [
        ({}, None, "http://localhost:3000"),
        (THEIRS, "theirs", "http://theirs:2"),
        (BOTH, "ours", "http://ours:1"),
        ({**BOTH, "KNOWGATE_API_KEY": " ", "KNOWGATE_URL": ""}, "theirs", "http://theirs:2"),
    ],
)
def test_the_environment_is_asked_in_order(environ: Mapping[str, str], key: str | None, url: str) -> None:
    options = read(environ)
    assert (options.headers.get("X-API-Key"), options.base_url) == (key, url)


def test_arguments_win() -> None:
    options = read(BOTH, "mine", "https://docs.example/knowgate/")
    assert (options.headers["X-API-Key"], options.base_url) == ("mine", "https://docs.example/knowgate")


def test_an_empty_key_is_no_key() -> None:
    assert "X-API-Key" not in read(BOTH, "").headers


def test_a_header_of_ones_own_replaces_ours() -> None:
    headers = read({}, "mine", extra={"X-Api-Key": "proxy", "X-Username": "ada"}).headers
    assert "X-API-Key" not in headers
    assert (headers["X-Api-Key"], headers["X-Username"]) == ("proxy", "ada")


@pytest.mark.parametrize("url", ["localhost:3000", "ftp://x", "http://", "http://[::1", "http://x:99999", "/api"])
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        read({}, url=url)
    assert caught.value.code == "bad_url"


def test_a_password_in_the_address_is_not_repeated() -> None:
    assert read({}, url="http://ada:secret@docs.example:80").where == "docs.example:80"
    with pytest.raises(ValidationError) as caught:
        read({}, url="ftp://ada:secret@docs.example")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["orag_ä", "orag_a\nb"])
def test_what_can_be_no_key_is_refused_without_being_repeated(key: str) -> None:
    with pytest.raises(AuthenticationError) as caught:
        read({}, key)
    assert "orag_" not in str(caught.value)

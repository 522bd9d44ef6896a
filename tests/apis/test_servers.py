"""Where requests go."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.apis.samples import operation

from knowgate.apis.operation import Server
from knowgate.apis.servers import base_of
from knowgate.errors import InputError

VARIABLES = {"region": ("eu", ("eu", "us")), "version": ("v2", ())}


@pytest.mark.parametrize(
    ("url", "source", "expected"),
    [
        ("https://api.example.com/v1/", "", "https://api.example.com/v1"),
        ("/v3", "https://example.com/docs/openapi.json", "https://example.com/v3"),
        ("../v3", "https://example.com/a/b/openapi.json", "https://example.com/a/v3"),
        ("//cdn.example.com/x", "https://example.com/openapi.json", "https://cdn.example.com/x"),
        ("https://{region}.example.com/{version}", "/home/me/api.yaml", "https://eu.example.com/v2"),
    ],
)
def test_servers(url: str, source: str, expected: str) -> None:
    assert base_of(replace(operation(), servers=(Server(url, VARIABLES),)), source=source) == expected


def test_what_is_configured_wins() -> None:
    one = replace(operation(), servers=(Server("https://{region}.example.com", VARIABLES),))
    assert base_of(one, base_url="http://localhost:8000/api/") == "http://localhost:8000/api"
    assert base_of(one, variables={"region": "us"}) == "https://us.example.com"


def test_without_servers_it_is_where_the_description_came_from() -> None:
    assert base_of(operation(), source="https://example.com/docs/openapi.json") == "https://example.com"


BARE = ["/v1", "ftp://example.com", "https://", "file:///etc/passwd", "https://[::1", "https://a.com:0"]
LOADED = ["https://u:p@a.com", "https://a.com/?x=1", "https://a.com/#f", "https://a.com/\r\n", "https://a.com\\@b.com"]


@pytest.mark.parametrize("url", [*BARE, *LOADED, "https://{region2}.com"])
def test_addresses_that_cannot_be_used(url: str) -> None:
    with pytest.raises(InputError) as caught:
        base_of(replace(operation(), servers=(Server(url),)), source="/home/me/api.yaml")
    assert caught.value.code == "no_base_url"


def test_a_variable_has_to_be_one_of_those_allowed() -> None:
    one = replace(operation(), servers=(Server("https://{region}.com", VARIABLES),))
    with pytest.raises(InputError) as caught:
        base_of(one, variables={"region": "evil.com/"})
    assert "eu, us" in caught.value.message

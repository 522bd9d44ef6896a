"""Pages are followed as they are told, within the origin and within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.apis.service import ITEMS, service

from knowgate.apis.operation import Operation, Parameter
from knowgate.apis.pages import collect, next_page
from knowgate.apis.request import Request
from knowgate.apis.response import Answer, Meta, read_answer
from knowgate.apis.send import send
from knowgate.errors import NetworkError
from knowgate.net import NetRules

RULES = NetRules(allow_private=True)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with service() as url:
        yield url


def operation(*parameters: str, type: str = "integer") -> Operation:
    declared = [Parameter(name, "query", False, {"type": type}, "form", True) for name in parameters]
    return Operation("op", "api", "GET", "/x", parameters=tuple(declared))


def fetch(request: Request) -> Answer:
    return read_answer(send(request, RULES))


def gather(url: str, *parameters: str, max_pages: int = 10, max_items: int = 1000) -> Answer:
    request = Request("GET", url, operation="op")
    return collect(request, operation(*parameters), fetch, max_pages=max_pages, max_items=max_items)


@pytest.mark.parametrize(
    ("path", "parameters", "place"),
    [
        ("link", ["page", "per_page"], None),
        ("cursor", ["cursor", "limit"], "items"),
        ("offset", ["offset", "limit"], "results"),
        ("offset?limit=5", ["offset", "limit"], "results"),
        ("page", ["page"], "data"),
        ("after?limit=7", ["starting_after", "limit"], "data"),
    ],
)
def test_all_pages_of_every_kind(url: str, path: str, parameters: list[str], place: str | None) -> None:
    answer = gather(f"{url}/lists/{path}", *parameters)
    assert (answer.data[place] if place else answer.data) == ITEMS
    assert "united" in answer.notes[0]
    assert len(answer.notes) == 1


def test_pages_and_items_are_bounded_and_more_is_said(url: str) -> None:
    two = gather(f"{url}/lists/cursor", "cursor", max_pages=2)
    assert two.data == {"items": ITEMS[:20], "next_cursor": "c20"}
    assert two.notes == ("2 pages are united here.", "There are more pages; ask for them if needed.")
    assert len(gather(f"{url}/lists/cursor", "cursor", max_items=5).data["items"]) == 10


def test_one_page_is_left_alone(url: str) -> None:
    assert gather(f"{url}/lists/cursor?limit=50", "cursor", "limit").notes == ()


def test_a_server_that_repeats_itself_is_not_believed(url: str) -> None:
    assert gather(f"{url}/lists/stubborn", "page").data == {"items": ITEMS[:10]}


def test_a_next_page_elsewhere_is_not_followed(url: str) -> None:
    assert gather(f"{url}/lists/elsewhere").data["items"] == ITEMS[:10]


def test_a_page_that_fails_leaves_the_ones_before_it(url: str) -> None:
    assert gather(f"{url}/lists/failing", "page").data == ITEMS[:10]

    def refuse(request: Request) -> Answer:
        if "page=2" in request.url:
            raise NetworkError("timeout", "It took too long.")
        return fetch(request)

    request = Request("GET", f"{url}/lists/page", operation="op")
    answer = collect(request, operation("page"), refuse, max_pages=9, max_items=999)
    assert answer.data == {"data": ITEMS[:10]}
    assert "It took too long." in answer.notes[0]


REQUEST = Request("GET", "https://api.test/v1/x?q=1", operation="op")


def answer(data: object, link: str = "") -> Answer:
    return Answer(200, data, Meta("op", "GET", REQUEST.url, 1, "", {"link": link} if link else {}, 1))


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ('<https://api.test/v1/x?page=2>; rel="next"', "https://api.test/v1/x?page=2"),
        ('</a>; rel="prev", </b?c=1,2>; title="x"; rel=next', "https://api.test/b?c=1,2"),
        ('<?page=2>; rel="last next"', "https://api.test/v1/x?page=2"),
        ('<https://evil.test/>; rel="next"', None),
        ('<http://api.test/>; rel="next"', None),
        ('</a>; rel="nextish"', None),
        ("<>;;;<", None),
    ],
)
def test_links(link: str, expected: str | None) -> None:
    found = next_page(REQUEST, answer([1], link), operation())
    assert (found and found.url) == expected


@pytest.mark.parametrize(
    ("data", "parameters", "expected"),
    [
        ({"items": [1], "nextPageToken": "t/1"}, ["pageToken"], "https://api.test/v1/x?q=1&pageToken=t%2F1"),
        (
            {"items": [1], "meta": {"next_cursor": "c"}},
            ["page[cursor]"],
            "https://api.test/v1/x?q=1&page%5Bcursor%5D=c",
        ),
        ({"items": [1], "@odata.nextLink": "/v1/x?skip=5"}, [], "https://api.test/v1/x?skip=5"),
        ({"items": [1], "_links": {"next": {"href": "?p=2"}}}, [], "https://api.test/v1/x?p=2"),
        ({"items": [1], "next_page": 3}, ["page"], "https://api.test/v1/x?q=1&page=3"),
        ({"items": [1], "next_page": None}, ["page"], None),
        ({"items": [1], "next_cursor": ""}, ["cursor"], None),
        ({"items": [1], "next_cursor": "c", "has_more": False}, ["cursor"], None),
        ({"items": [1], "next_cursor": "c"}, ["unrelated"], None),
        ({"items": [], "total": 9}, ["offset"], None),
        ({"items": [1], "total": 1}, ["offset"], None),
        ({"name": "x"}, ["page"], None),
        ("text", ["page"], None),
    ],
)
def test_what_the_body_tells(data: object, parameters: list[str], expected: str | None) -> None:
    found = next_page(REQUEST, answer(data), operation(*parameters))
    assert (found and found.url) == expected


def test_a_text_parameter_is_not_counted_up() -> None:
    assert next_page(REQUEST, answer({"items": [1]}), operation("start", type="string")) is None


def test_only_what_reads_and_succeeded_has_a_next_page() -> None:
    data = answer({"items": [1], "next": "/a"})
    assert next_page(REQUEST, data, operation())
    assert next_page(replace(REQUEST, method="POST"), data, operation()) is None
    assert next_page(REQUEST, replace(data, status=404), operation()) is None

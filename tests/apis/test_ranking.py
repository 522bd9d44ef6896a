from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.compiled import Entry
from knowgate.apis.ranking import Deed, Ranker, deed_of


def entry(id: str, method: str, path: str, summary: str, *, deprecated: bool = False) -> Entry:
    return Entry(id, "shop", method, path, summary, (), deprecated)


ENTRIES = [
    entry("listOrders", "GET", "/orders", "List orders"),
    entry("createOrder", "POST", "/orders", "Create an order"),
    entry("getOrder", "GET", "/orders/{id}", "Get an order"),
    entry("updateOrder", "PATCH", "/orders/{id}", "Update an order"),
    entry("deleteOrder", "DELETE", "/orders/{id}", "Delete an order"),
    entry("cancelOrder", "POST", "/orders/{id}/cancel", "Cancel an order"),
    entry("getMe", "GET", "/user", "Get the authenticated user"),
    entry("getUser", "GET", "/users/{name}", "Get a user"),
    entry("listMyRepos", "GET", "/user/repos", "List repositories for the authenticated user"),
    entry("listPublicRepos", "GET", "/repositories", "List public repositories"),
]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("place a new order", "createOrder"),
        ("add an order", "createOrder"),
        ("show all orders", "listOrders"),
        ("show an order", "getOrder"),
        ("change an order", "updateOrder"),
        ("remove an order", "deleteOrder"),
        ("cancel an order", "cancelOrder"),
        ("cancel order", "cancelOrder"),
        ("cancel", "cancelOrder"),
        ("who am I", "getMe"),
        ("list my repos", "listMyRepos"),
    ],
)
def test_the_verb_tells_the_method(request_: str, expected: str):
    assert expected in [each.id for each in Ranker(ENTRIES)(request_, {}, {}, ENTRIES)][:2]


@pytest.mark.parametrize(
    ("words", "deed"),
    [
        ("create an issue", "make"),
        ("delete it", "remove"),
        ("which ones are open", "look"),
        ("rename a branch", "change"),
        ("merge a pull request", "act"),
        ("members of a team", None),
        ("cancel order", "act"),
        ("", None),
    ],
)
def test_what_is_to_be_done(words: str, deed: Deed | None):
    assert deed_of(words.split(), frozenset({"cancel"})) == deed


def test_what_should_not_be_used_comes_later():
    old, new = entry("a", "GET", "/old", "List orders", deprecated=True), entry("b", "GET", "/new", "List orders")
    assert [each.id for each in Ranker([old, new])("list orders", {}, {}, [old, new])] == ["b", "a"]


def test_what_only_the_meaning_tells_is_among_the_first_five():
    entries = [entry(f"order{number}", "GET", f"/orders/{number}", "List orders") for number in range(20)]
    entries.append(entry("stargazers", "GET", "/stars", "Stargazers"))
    ranked = Ranker(entries)("list orders", {}, {"stargazers": 1.0}, entries)
    assert "stargazers" in [each.id for each in ranked[:5]]


@given(st.text(max_size=60))
def test_any_request_is_ranked_without_repeating(request_: str):
    ranked = [each.id for each in Ranker(ENTRIES)(request_, {"getMe": 0.5}, {}, ENTRIES)]
    assert len(ranked) == len(set(ranked))
    assert "getMe" in ranked


def test_an_empty_catalogue():
    assert Ranker([])("list orders", {}, {}, []) == []

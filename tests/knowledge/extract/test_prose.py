"""Names in running text."""

from __future__ import annotations

import pytest

from knowgate.knowledge.extract.prose import find_names


def found(text: str) -> list[str]:
    return [each.text for each in find_names(text, 0, len(text), frozenset(text.split()))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met Grace Hopper in New York.", ["Grace Hopper", "New York"]),
        ("The paper by John F. Kennedy and Dr. Maria Silva appeared.", ["John F. Kennedy", "Dr. Maria Silva"]),
        ("She taught at the University of Vienna.", ["University of Vienna"]),
        ("Then Virginia Woolf of London wrote.", ["Virginia Woolf", "London"]),
        ("It began on Monday, 3 July 2012.", []),
        ("Running tests is fun. Finally we stop.", []),
        ("Orders are stored. We keep orders for years.", []),
        ("Retrieves the cart and ships it.", []),
        ("Jenkins is green.", ["Jenkins"]),
        ("The code is C++ or Node.js here.", ["C++", "Node.js"]),
        ("Call `orderService` or `cart-api`, not `main.py`.", ["orderService", "cart-api"]),
        ("See [Billing](docs/billing.md) and ![Logo](logo.png).", ["Billing"]),
        ("It needs order-service and well-known things.", ["order-service"]),
        ("Ask the payment service, not a single service.", ["payment"]),
        ("The billing service asks the calling service and a related service.", ["billing"]),
        ("Set the CACHE_SIZE first.", []),
        ("A Python-based tool at http://Example.org/Page.", []),
        ("Sort the orders. Written in haste, it works. Accept payments.", []),
        ("Routing team on duty, or team Anchor.", ["Routing team", "team Anchor"]),
        ("It runs on PostgreSQL 16.", ["PostgreSQL"]),
        ("On-call: Ada Lovelace\nDepends on: Redis", ["Ada Lovelace", "Redis"]),
        ("Ольга живёт в городе Москва.", ["Ольга", "Москва"]),
        ("订单服务调用库存。", []),
    ],
)
def test_names_are_found(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_what_follows_a_name_says_what_it_is() -> None:
    text = "Here the Ledger service writes to the Archive database, owned by the Falcon team."
    kinds = {each.text: each.kind for each in find_names(text, 0, len(text), frozenset())}
    assert kinds == {"Ledger": "service", "Archive": "database", "Falcon team": "team"}


def test_a_service_account_is_no_service() -> None:
    text = "We grant the Falcon service account its role."
    assert [each.kind for each in find_names(text, 0, len(text), frozenset())] == ["concept"]


def test_a_name_keeps_its_place() -> None:
    text = "Ask Grace\nHopper about `cart-api`."
    assert [(each.text, text[each.start : each.end]) for each in find_names(text, 0, len(text), frozenset())] == [
        ("Grace Hopper", "Grace\nHopper"),
        ("cart-api", "cart-api"),
    ]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("It publishes `order.paid` and `order.sent`.", ["order.paid", "order.sent"]),
        ("It handles each `order.paid` event.", ["order.paid"]),
        ("The mailer waits for the order.paid topic.", ["order.paid"]),
        ("Set `server.port` to 80. It is used at example.com now.", []),
    ],
)
def test_a_dotted_name_is_an_event_where_messages_are_spoken_of(text: str, events: list[str]) -> None:
    assert [each.text for each in find_names(text, 0, len(text), frozenset()) if each.kind == "queue"] == events

"""Sentences say who uses whom."""

from __future__ import annotations

import pytest
from facts import links, read

ORDER_BILLING = {("Order Service", "USES", "Billing Service")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Order Service calls the Billing Service.", ORDER_BILLING),
        ("The Billing Service is called by the Order Service.", ORDER_BILLING),
        ("When asked, the Order Service contacts the Billing Service.", ORDER_BILLING),
        ("The Web UI depends on Keycloak.", {("Web UI", "DEPENDS_ON", "Keycloak")}),
        ("The Web UI retrieves pictures from the Image Provider.", {("Web UI", "CONSUMES", "Image Provider")}),
        ("The Ledger service is registered with Consul.", {("Ledger", "USES", "Consul")}),
        ("The Falcon team owns the Ledger service.", {("Falcon", "OWNS", "Ledger")}),
        ("Uploads are forwarded to the Scan Service.", set[tuple[str, str, str]]()),
        ("The Order Service does not call the Billing Service.", set[tuple[str, str, str]]()),
        ("You can use the Billing Service.", set[tuple[str, str, str]]()),
        (
            "The path is `web-ui` -> `cart-api` → Redis.",
            {("web-ui", "USES", "cart-api"), ("cart-api", "USES", "Redis")},
        ),
    ],
)
def test_a_sentence_relates_what_it_names(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert links(read(text)) == expected


def test_names_in_a_list_share_the_verb() -> None:
    text = "The Cart Service and the Order Service publish events to Kafka, RabbitMQ and Redis."
    assert links(read(text)) == {
        (source, "PRODUCES", target)
        for source in ("Cart Service", "Order Service")
        for target in ("Kafka", "RabbitMQ", "Redis")
    }


def test_it_means_whom_the_sentence_before_spoke_of() -> None:
    text = "The Order Service calls the Billing Service. It stores orders in Postgres."
    assert ("Order Service", "PRODUCES", "Postgres") in links(read(text))


@pytest.mark.parametrize("sentence", ["It uses Redis.", "This service uses Redis.", "Stores carts in Redis."])
def test_below_a_heading_its_part_is_meant(sentence: str) -> None:
    found = {(source, target) for source, _, target in links(read(f"# Shop\n\n## Cart Service\n\n{sentence}\n"))}
    assert found == {("Cart Service", "Redis")}


def test_an_item_of_a_list_is_about_the_name_it_begins_with() -> None:
    text = "# Parts\n\n- `cart-api`: keeps carts. It uses Redis.\n- `mail-worker`: reads from RabbitMQ.\n"
    assert links(read(text)) == {("cart-api", "USES", "Redis"), ("mail-worker", "CONSUMES", "RabbitMQ")}


def test_names_in_one_sentence_are_loosely_related() -> None:
    found = read("Here Ada Lovelace met Charles Babbage. Elsewhere lived Alan Turing.")
    assert links(found, 0.5) == set()
    assert links(found, 0.05) == {("Ada Lovelace", "USES", "Charles Babbage")}

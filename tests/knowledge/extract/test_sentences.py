"""Sentences say who uses whom."""

from __future__ import annotations

import pytest
from facts import links, read

NOTHING = set[tuple[str, str, str]]()
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
        ("The Falcon team owns the Ledger service.", {("Falcon team", "OWNS", "Ledger")}),
        ("Uploads are forwarded to the Scan Service.", NOTHING),
        ("The Order Service does not call the Billing Service.", NOTHING),
        ("You can use the Billing Service.", NOTHING),
        ("Should the Order Service call the Billing Service?", NOTHING),
        ("TODO: the Order Service calls the Billing Service.", NOTHING),
        ("The Order Service could call the Billing Service.", NOTHING),
        ("If the Order Service is down, the shop falls back to the Billing Service.", NOTHING),
        ("The Order Service calls the Billing Service instead of Redis.", ORDER_BILLING),
        ("The Order Service calls the Billing Service, a Java application.", ORDER_BILLING),
        ("The Falcon team is responsible for the Ledger service.", {("Falcon team", "OWNS", "Ledger")}),
        ("The Ledger service is responsible for the Billing Service.", NOTHING),
        ("The Ledger service belongs to the Falcon team.", {("Falcon team", "OWNS", "Ledger")}),
        ("The Ledger service wraps Keycloak.", {("Ledger", "USES", "Keycloak")}),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Shops call the Cart API, which checks the price with the Price Service and writes the cart to `cart-db`.",
            {("Cart API", "PRODUCES", "cart-db")},
        ),
        (
            "The Cart API checks the price with the Price Service and writes the cart to `cart-db`.",
            {("Cart API", "PRODUCES", "cart-db")},
        ),
        (
            "The Cart API reads prices from the Price Service over gRPC, and stores carts in `cart-db`.",
            {
                ("Cart API", "CONSUMES", "Price Service"),
                ("Cart API", "USES", "gRPC"),
                ("Cart API", "PRODUCES", "cart-db"),
            },
        ),
        (
            "The Cart API no longer uses Redis but still reads from Kafka.",
            {("Cart API", "CONSUMES", "Kafka")},
        ),
        (
            "In the Cart API, the Sweep Worker calls Redis.",
            {("Sweep Worker", "USES", "Redis")},
        ),
        (
            "The Cart API publishes to Kafka and then reads from Redis.",
            {("Cart API", "PRODUCES", "Kafka"), ("Cart API", "CONSUMES", "Redis")},
        ),
        (
            "People open the Shop App, a Blue Whale application which calls the Cart API through the Edge Gateway.",
            {("Shop App", "USES", "Cart API"), ("Shop App", "USES", "Edge Gateway")},
        ),
        (
            "The Mail Hub delivers letters through SendGrid and push messages via Firebase Cloud.",
            {("Mail Hub", "USES", "SendGrid"), ("Mail Hub", "USES", "Firebase Cloud")},
        ),
        (
            "The Cart API subscribes to `cart.paid` and publishes `cart.sent`. Maps come from Postgres.",
            {("Cart API", "CONSUMES", "cart.paid"), ("Cart API", "PRODUCES", "cart.sent")},
        ),
        (
            "The Cart API stores carts in `cart-db` (PostgreSQL 16) and prices in `price-cache`, a Redis instance.",
            {("Cart API", "PRODUCES", "cart-db"), ("Cart API", "PRODUCES", "price-cache")},
        ),
    ],
)
def test_a_verb_has_the_right_subject(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert links(read(text)) == expected


def test_whatever_is_done_with_a_part_uses_it() -> None:
    text = "The Edge Gateway, the Web UI and the Cart API verify tokens with the Identity Service."
    assert links(read(text)) == {
        (source, "USES", "Identity Service") for source in ("Edge Gateway", "Web UI", "Cart API")
    }
    assert links(read("Tokens with the Identity Service are verified.")) == NOTHING


@pytest.mark.parametrize(
    "sentence",
    [
        "Owned by Team Falcon.",
        "It is a Python service owned by Team Falcon.",
        "It keeps carts. Team Falcon owns it.",
        "Both Web UI and Mail API use the Cart Service. Team Falcon owns it.",
        "Owner: Team Falcon\nStatus: live",
        "- Owner: Team Falcon",
        "- **Owner:** Team Falcon",
    ],
)
def test_a_section_says_who_owns_its_part(sentence: str) -> None:
    owned = {each for each in links(read(f"# Shop\n\n## Cart Service\n\n{sentence}\n")) if each[1] == "OWNS"}
    assert owned == {("Team Falcon", "OWNS", "Cart Service")}

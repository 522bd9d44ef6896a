"""Whole documents: what they are about, and promises that hold for any of them."""

from __future__ import annotations

import pytest
from facts import aliases, cut, links, names, read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate.knowledge.extract import DEFAULT_SCHEMA, Schema, extract
from knowgate.knowledge.parse.reader import TextBuilder
from knowgate.model import BlockKind, Chunk, Parsed

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure."""

WORDS = st.sampled_from(
    "Order Service uses the Redis cache `cart-api` calls it. [Web UI](../web-ui/README.md) -> Kafka | --- | - #"
    " ``` yaml services: a.image: x http://b:80 is used by and , of John F. Kennedy \n \n\n 订单 É ﬁ \u0000"
    " \U0001f600 ${a:b} @startuml A --> B mermaid graph LR kind: Deployment metadata.name: x asyncapi: 3 info.title: y"
    " Owner: Depends on: team which with # Dependencies | Team | Owns | `order.paid` publishes TODO ?".split(" ")
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=30).map(" ".join))
KINDS = st.sampled_from(("heading", "text", "table", "code"))
TYPES = st.sampled_from(["markdown", "text", "yaml", "json", "code", "pdf"])


@st.composite
def documents(draw: st.DrawFn) -> Parsed:
    builder = TextBuilder()
    parts: list[tuple[BlockKind, str]] = draw(st.lists(st.tuples(KINDS, TEXTS), max_size=6))
    for kind, text in parts:
        builder.add(kind, text, level=1 if kind == "heading" else 0)
    text, blocks = builder.build()
    fields = draw(st.dictionaries(st.sampled_from(["owner", "service", "depends_on", "x"]), TEXTS, max_size=3))
    return Parsed(text, blocks, draw(TYPES), "text/plain", draw(st.sampled_from(["", "Title"])), fields)


@unhurried
@given(documents(), TEXTS)
def test_any_document_can_be_read(parsed: Parsed, name: str) -> None:
    chunks = cut(parsed)
    found = extract(parsed, chunks, DEFAULT_SCHEMA, name)
    assert found == extract(parsed, chunks, DEFAULT_SCHEMA, name)
    ordinals = {each.ordinal: each for each in chunks}
    for mention in found.mentions:
        said = ordinals[mention.chunk].text[mention.start : mention.end]
        assert said == "" or " ".join(said.split()) == mention.name
        assert mention.type in DEFAULT_SCHEMA.entity_types
        assert 0 < mention.confidence <= 1
    for relation in (*found.relations, *found.inherited):
        assert relation.chunk in ordinals
        assert relation.type in DEFAULT_SCHEMA.relation_types
        assert 0 < relation.confidence <= 1
        assert relation.source != relation.target


@unhurried
@given(documents())
def test_every_end_of_a_sure_relation_is_named_or_declared_elsewhere(parsed: Parsed) -> None:
    found = extract(parsed, cut(parsed), DEFAULT_SCHEMA)
    assert len({(each.chunk, each.name) for each in found.mentions}) == len(found.mentions)


def test_a_readme_is_about_its_folder() -> None:
    found = read("# Overview\n\nIt stores carts in Redis.\n", "shop/cart-api/README.md")
    assert links(found) == {("cart-api", "PRODUCES", "Redis")}


def test_a_readme_s_first_heading_is_another_name_of_its_folder() -> None:
    assert aliases(read("# Shopping Cart Service\n\nHello.\n", "shop/cart-api/README.md")) == {
        ("cart-api", "Shopping Cart Service")
    }


def test_a_heading_names_a_part_and_what_follows_describes_it() -> None:
    found = read(
        "# Guide\n\n## Billing Service\n\nIt writes bills. It is old.\n\n## Running the service\n\nStart it.\n"
    )
    assert names(found, "SERVICE", sure=0.7) == {"Billing Service"}
    assert next(each.description for each in found.mentions if each.name == "Billing Service") == "It writes bills"


def test_front_matter_speaks_of_the_document_s_subject() -> None:
    text = "---\nservice: Ledger\nowner: Falcon Team\ndepends_on: [Redis, mail-api]\n---\n\n# About\n\nHello.\n"
    found = read(text)
    assert links(found) == {
        ("Falcon Team", "OWNS", "Ledger"),
        ("Ledger", "DEPENDS_ON", "Redis"),
        ("Ledger", "DEPENDS_ON", "mail-api"),
    }
    assert "Falcon Team" in names(found, "TEAM")


def test_front_matter_may_speak_of_the_first_heading() -> None:
    found = read("---\nowner: Falcon\n---\n\n# Ranger\n\nRanger assigns seats.\n")
    assert links(found) == {("Falcon team", "OWNS", "Ranger")}


def test_prerequisites_are_needed() -> None:
    text = "# Overview\n\nHello.\n\n## Prerequisites\n\n- [config server](../config-server/README.md) - for settings\n"
    found = read(text, "web-portal/README.md")
    assert links(found) == {("web-portal", "DEPENDS_ON", "config server")}


@pytest.mark.parametrize(
    "said",
    ["- Stripe for payments\n- `order-db`\n- Java\n", "Depends on: Stripe, order-db\n"],
)
def test_dependencies_are_needed(said: str) -> None:
    found = read(f"# Order Service\n\n## Dependencies\n\n{said}")
    assert links(found) == {("Order Service", "DEPENDS_ON", "Stripe"), ("Order Service", "DEPENDS_ON", "order-db")}


@pytest.mark.parametrize("said", ["Ranger assigns seats. It uses Redis.", "Owned by Team Falcon. It uses Redis."])
def test_a_proper_name_that_is_spoken_of_names_a_part(said: str) -> None:
    found = read(f"# Ranger\n\n{said}\n")
    assert ("Ranger", "USES", "Redis") in links(found)
    assert "Ranger" in names(found, "SERVICE")


@pytest.mark.parametrize("heading", ["Context", "Security", "Status", "Kafka", "Getting Started"])
def test_a_heading_that_is_not_spoken_of_names_none(heading: str) -> None:
    found = read(f"# {heading}\n\n{heading} is hard. It uses Redis.\n", "0007-kafka.md")
    assert names(found, "SERVICE") == set()
    assert links(found) == set()


def test_a_description_says_what_a_part_is_not_whose() -> None:
    found = read("# Cart Service\n\nOwned by Team Falcon. Keeps carts.\n")
    assert next(each.description for each in found.mentions if each.name == "Cart Service") == "Keeps carts."


def test_labels_and_keys_are_no_names() -> None:
    text = (
        "# Decision\n\nStatus: accepted\nDeciders: Ada Lovelace\nOwner: Falcon\n\n- Kind: Kafka\n\n## Context\n\nTODO\n"
    )
    assert names(read(text)) == {"Ada Lovelace", "Falcon", "Kafka"}
    assert names(read("apiVersion: v9\nsecretName: Ada\n", "notes.yaml")) == {"Ada"}


def test_what_fits_no_type_is_left_out_unless_something_is_said_of_it() -> None:
    schema = Schema(("SERVICE", "DATABASE", "TOPIC", "TEAM"), ("USES", "PRODUCES", "OWNS"))
    text = "The Order Service calls Stripe over HTTPS and emits `order.paid`. Ada Lovelace met Charles Babbage."
    found = read(text, schema=schema)
    assert {each.name: each.type for each in found.mentions} == {
        "Order Service": "SERVICE",
        "Stripe": "SERVICE",
        "order.paid": "TOPIC",
    }
    assert {(each.source, each.target) for each in found.relations} <= {
        ("Order Service", "Stripe"),
        ("Order Service", "order.paid"),
        ("Stripe", "order.paid"),
    }


def test_initials_and_links_give_other_names() -> None:
    text = (
        "We run Google Kubernetes Engine (GKE). See [sign-in](../auth-server/) and [login](../auth-server/README.md).\n"
    )
    assert aliases(read(text)) == {
        ("Google Kubernetes Engine", "GKE"),
        ("auth-server", "login"),
        ("auth-server", "sign-in"),
    }


def test_another_schema_is_spoken() -> None:
    schema = Schema(("Component", "Thing"), ("CALLS", "RELATED_TO"))
    found = read("The Order Service calls the Billing Service near Paris.", schema=schema)
    assert {each.name: each.type for each in found.mentions} == {
        "Order Service": "Component",
        "Billing Service": "Component",
        "Paris": "Thing",
    }
    assert links(found) == {("Order Service", "CALLS", "Billing Service")} | {
        (source, "CALLS", "Paris") for source in ("Order Service",)
    }


def test_a_list_of_parts_names_them() -> None:
    items = "- Order to take orders\n- `mailer` - writes mails\n- [Stock](services/stock-keeper/README.md): counts\n"
    text = f"# Shop\n\nThe shop consists of three services:\n\n{items}"
    found = read(text)
    assert names(found, "SERVICE", sure=0.7) == {"Order", "mailer", "Stock"}
    assert next(each.description for each in found.mentions if each.name == "mailer") == "writes mails"
    assert aliases(found) == {("stock-keeper", "Stock")}
    assert names(read("# Shop\n\nThings to buy:\n\n- Bread\n- Milk\n"), "SERVICE") == set()


def test_code_says_nothing_by_itself() -> None:
    assert read("class OrderService:\n    pass\n", "orders.py").mentions == ()


def test_no_passages_no_findings() -> None:
    nothing: list[Chunk] = []
    assert extract(Parsed("Ada", (), "text", "text/plain"), nothing, DEFAULT_SCHEMA).mentions == ()

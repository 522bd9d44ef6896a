"""Whole documents: what they are about, and promises that hold for any of them."""

from __future__ import annotations

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
    " \U0001f600 ${a:b} @startuml A --> B mermaid graph LR kind: Deployment metadata.name: x".split(" ")
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


def test_prerequisites_are_needed() -> None:
    text = "# Overview\n\nHello.\n\n## Prerequisites\n\n- [config server](../config-server/README.md) - for settings\n"
    found = read(text, "web-portal/README.md")
    assert links(found) == {("web-portal", "DEPENDS_ON", "config server")}


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

"""Only names that the passage holds, only types that the schema has."""

from __future__ import annotations

import pytest

from knowgate.knowledge.extract.llm.found import Found, FoundEntity, FoundRelation
from knowgate.knowledge.extract.llm.settle import entity_type, facts_of, relation_type, unite
from knowgate.model import DEFAULT_SCHEMA, Chunk, Schema, SchemaField
from knowgate.store.port import Clue, Facts, Link, Mention, Name

TEXT = "The order-service reads from the LedgerDB. Orders are billed by billing services, and 在库服务 stores goods."


def chunk(text: str = TEXT, headings: tuple[str, ...] = ()) -> Chunk:
    return Chunk("c", "d", 0, text, headings, 0, len(text))


def settle(found: Found, schema: Schema = DEFAULT_SCHEMA, one: Chunk | None = None) -> Facts:
    return facts_of({0: found}, [one or chunk()], schema)


def entities(*names: str) -> Found:
    return Found(tuple(FoundEntity(name, "SERVICE") for name in names))


@pytest.mark.parametrize(
    "name",
    ["order-service", "Order Service", "OrderService", "orders", "Ledger DB", "ledger-db", "Billing", "在库服务"],
)
def test_a_name_in_any_spelling_is_kept(name: str) -> None:
    assert [each.name for each in settle(entities(name)).mentions] == [name]


@pytest.mark.parametrize("name", ["Payment Service", "led", "DB", "ill", "order ledger", "der", "在庫", "—"])
def test_a_name_that_is_not_there_is_dropped(name: str) -> None:
    assert settle(entities(name)).mentions == []


def test_names_may_stand_in_the_headings() -> None:
    found = settle(entities("Checkout"), one=chunk("It is fast.", ("Shop", "Checkout")))
    assert [each.name for each in found.mentions] == ["Checkout"]


def test_a_relation_needs_both_of_its_ends_in_the_passage() -> None:
    relations = (
        FoundRelation("order service", "LedgerDB", "CONSUMES", "It reads.", ("rows",)),
        FoundRelation("order service", "Kafka", "USES"),
        FoundRelation("orders", "order-service", "USES"),
    )
    found = settle(Found((), relations))
    assert [(each.source, each.target, each.type, each.description) for each in found.links] == [
        ("order", "ledgerdb", "CONSUMES", "It reads. (rows)")
    ]
    assert {(each.name, each.type) for each in found.mentions} == {
        ("order service", "SERVICE"),
        ("LedgerDB", "DATABASE"),
    }


@pytest.mark.parametrize(
    ("said", "name", "type"),
    [
        ("SERVICE", "x", "SERVICE"),
        ("service", "x", "SERVICE"),
        ("Services", "x", "SERVICE"),
        ("Microservice", "x", "SERVICE"),
        ("message broker", "x", "DATABASE"),
        ("DATABSE", "x", "DATABASE"),
        ("squad", "x", "TEAM"),
        ("GADGET", "x", "CONCEPT"),
        ("", "order service", "SERVICE"),
        ("", "x", "CONCEPT"),
    ],
)
def test_an_unknown_type_of_entity_becomes_one_of_the_schema(said: str, name: str, type: str) -> None:
    assert entity_type(said, name, DEFAULT_SCHEMA) == type


@pytest.mark.parametrize(
    ("said", "type"),
    [
        ("USES", "USES"),
        ("depends on", "DEPENDS_ON"),
        ("CALLS", "USES"),
        ("PUBLISHES_TO", "PRODUCES"),
        ("CONSUMS", "CONSUMES"),
        ("RHYMES_WITH", "USES"),
        ("", "USES"),
    ],
)
def test_an_unknown_type_of_relation_becomes_one_of_the_schema(said: str, type: str) -> None:
    assert relation_type(said, DEFAULT_SCHEMA) == type


def test_what_fits_nowhere_is_other_where_there_is_such_a_type() -> None:
    schema = Schema(("PLANT", "OTHER", "STAR"), ("EATS", "OTHER"))
    assert entity_type("GADGET", "x", schema) == "OTHER"
    assert relation_type("RHYMES_WITH", schema) == "OTHER"
    assert entity_type("GADGET", "x", Schema(("PLANT", "STAR"), ("EATS",))) == "STAR"


def test_fields_are_checked_and_have_their_defaults() -> None:
    schema = Schema(
        ("SERVICE",),
        ("USES",),
        entity_fields={"tier": SchemaField("enum", ("gold", "tin"), "tin"), "owner": SchemaField()},
        relation_fields={"via": SchemaField("enum", ("HTTP", "gRPC"))},
    )
    relation = FoundRelation("orders", "billing", "USES", fields={"via": "http"})
    told = (
        FoundEntity("orders", fields={"tier": "GOLD", "owner": "Ann", "mood": "good"}),
        FoundEntity("billing", fields={"tier": "wood"}),
    )
    clues = set(settle(Found(told, (relation,)), schema).clues)
    assert {each for each in clues if each.kind.endswith("_field")} == {
        Clue("entity_field", "tier", "order", "gold"),
        Clue("entity_field", "owner", "order", "Ann"),
        Clue("entity_field", "tier", "billing", "tin"),
        Clue("relation_field", "via", "order\tUSES\tbilling", "HTTP"),
    }


def test_the_surer_one_counts_with_whatever_description_there_is() -> None:
    rules = Facts(
        [Name("a", 0, 1.0)],
        [Mention("a", 0, "A", "SERVICE", 0.95), Mention("b", 0, "B", "CONCEPT", 0.5, "Of rules.")],
        [Link("a", "b", "USES", 0, 0.5)],
        [Clue("alias", "x", "a")],
    )
    model = Facts(
        (),
        [Mention("a", 0, "a", "TEAM", 0.75, "Of the model."), Mention("b", 0, "b", "TEAM", 0.75)],
        [Link("a", "b", "USES", 0, 0.75, "Said."), Link("b", "a", "OWNS", 0, 0.75)],
        [Clue("alias", "x", "a"), Clue("listed", "", "b")],
    )
    assert unite(rules, model) == Facts(
        [Name("a", 0, 1.0)],
        [Mention("a", 0, "A", "SERVICE", 0.95, "Of the model."), Mention("b", 0, "b", "TEAM", 0.75, "Of rules.")],
        [Link("a", "b", "USES", 0, 0.75, "Said."), Link("b", "a", "OWNS", 0, 0.75)],
        [Clue("alias", "x", "a"), Clue("listed", "", "b")],
    )
    assert unite(unite(rules, model), model) == unite(rules, model)

from __future__ import annotations

import json
from typing import Any

from knowgate.knowledge.graph.draw.jsonld import jsonld
from knowgate.model import Entity, Relation


def graph(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    value = json.loads(text)
    return value["@context"], value["@graph"]


def test_entities_have_their_relations(entities: list[Entity], relations: list[Relation]):
    _, things = graph(jsonld(entities, relations))
    orders = next(thing for thing in things if thing.get("name") == "orders")
    assert orders["@id"] == "entity:orders"
    assert orders["@type"] == "type:SERVICE"
    assert orders["alternateName"] == ["order-service"]
    assert orders["relation:USES"] == [{"@id": "entity:order-db"}]


def test_statements_have_their_sources(entities: list[Entity], relations: list[Relation]):
    _, things = graph(jsonld(entities, relations))
    statement = next(thing for thing in things if thing.get("predicate") == "relation:USES")
    assert statement == {
        "@type": "rdf:Statement",
        "subject": "entity:orders",
        "predicate": "relation:USES",
        "object": "entity:order-db",
        "description": "reads and writes",
        "confidence": 0.8,
        "citation": ["Orders > Flow, page 3, guides/orders.md"],
    }


def test_every_name_is_known_to_the_context(entities: list[Entity], relations: list[Relation]):
    context, things = graph(jsonld(entities, relations))
    for thing in things:
        for key in thing:
            assert key.startswith("@") or key.partition(":")[0] in context, key


def test_ids_hold_nothing_that_an_address_cannot(entities: list[Entity], relations: list[Relation]):
    _, things = graph(jsonld(entities, relations))
    ids = [thing["@id"] for thing in things if "@id" in thing]
    assert len(set(ids)) == 4
    assert all(id.isascii() and id.isprintable() and not set(id) & set(' "<>{}|\\^`/#?') for id in ids)

"""A store gives a document's facts back as they were put in."""

from __future__ import annotations

from dataclasses import replace

from tests.store.contract import delete, document, put

from knowgate.store.port import Clue, Facts, Link, Mention, Name, Store

FACTS = Facts(
    [Name("order", 0, 1.0), Name("kafka", 1, 0.5)],
    [Mention("kafka", 0, "Kafka", "TOPIC", 0.8, "A log."), Mention("order", 0, "Orders", "SERVICE", 0.9)],
    [Link("order", "kafka", "USES", 1, 0.75, "publishes")],
    [Clue("alias", "bus", "kafka"), Clue("part", "order", "order", "SERVICE")],
)


def test_facts_come_back(store: Store) -> None:
    put(store, replace(document("a", "one", "two"), facts=FACTS), document("b", "three"))
    assert store.facts("a") == FACTS
    assert store.facts("b") == Facts([], [], [], [])
    delete(store, "a")
    assert store.facts("a") == store.facts("never there") == Facts([], [], [], [])

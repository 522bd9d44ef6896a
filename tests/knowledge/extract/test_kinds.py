"""What names say of the things they name, and which of a schema's types that is."""

from __future__ import annotations

import pytest

from knowgate.knowledge.extract import DEFAULT_SCHEMA, Schema
from knowgate.knowledge.extract.kinds import Kind, kind_of, team_name, technology_in, types_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Order Service", "service"),
        ("orderservice", "service"),
        ("api-gateway", "service"),
        ("orders-db", "database"),
        ("PostgreSQL", "database"),
        ("orders-mongodb", "database"),
        ("redis-sessions", "database"),
        ("redis-primary", "database"),
        ("kafka-lag", "concept"),
        ("0007-kafka", "concept"),
        ("Kafka", "queue"),
        ("Team Falcon", "team"),
        ("team-falcon", "team"),
        ("orders topic", "queue"),
        ("gRPC", "protocol"),
        ("Payments Team", "team"),
        ("Kubernetes", "concept"),
        ("Ada Lovelace", "concept"),
        ("", "concept"),
    ],
)
def test_a_name_tells_its_kind(name: str, kind: Kind) -> None:
    assert kind_of(name) == kind


def test_a_longer_name_tells_of_a_product() -> None:
    assert technology_in("orders-redis") == "redis"
    assert technology_in("redis") == technology_in("orders") == ""


def test_the_default_schema_has_a_word_for_every_kind() -> None:
    types = types_of(DEFAULT_SCHEMA)
    assert types.entity("queue", "Kafka") == "DATABASE"
    assert types.entity("team", "Payments Team") == "TEAM"
    assert types.relation("depends", "need") == "DEPENDS_ON"
    assert types.related == "USES"


def test_other_schemas_are_matched_by_their_words() -> None:
    types = types_of(Schema(("Component", "Queue", "Library", "Other"), ("CALLS", "READS_FROM", "RELATED_TO")))
    assert types.entity("service", "Order Service") == "Component"
    assert types.entity("queue", "Kafka") == "Queue"
    assert types.entity("team", "Payments Team") == "Other"
    assert types.entity("concept", "Billing Library") == "Library"
    assert types.relation("consumes", "read") == "READS_FROM"
    assert types.relation("uses", "call") == "CALLS"
    assert types.relation("owns", "own") == types.related == "RELATED_TO"


def test_a_schema_without_any_known_word_still_takes_everything() -> None:
    types = types_of(Schema(("PLANET", "STAR"), ("ORBITS",)))
    assert {types.entity(kind, "x") for kind in ("service", "database", "queue", "concept")} == {"STAR"}
    assert types.relation("uses", "use") == types.related == "ORBITS"
    assert types_of(Schema((), ())).entity("service", "x") == "CONCEPT"


def test_a_schema_may_have_no_type_for_a_kind() -> None:
    types = types_of(Schema(("SERVICE", "DATABASE", "TOPIC", "TEAM"), ("USES",)))
    assert types.entity("queue", "order.paid") == "TOPIC"
    assert types.fits("queue", "order.paid")
    assert not types.fits("concept", "Ada Lovelace")
    assert not types.fits("protocol", "HTTPS")
    assert types_of(Schema(("PERSON", "TOPIC"), ("KNOWS",))).entity("concept", "Chess") == "TOPIC"
    assert types_of(DEFAULT_SCHEMA).fits("concept", "Ada Lovelace")


def test_a_team_is_told_from_its_service() -> None:
    assert team_name("Falcon") == "Falcon team"
    assert team_name("Falcon squad") == "Falcon squad"
    assert team_name("team-falcon") == "team-falcon"

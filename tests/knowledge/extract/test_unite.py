"""The graph of a folder is the union over its documents."""

from __future__ import annotations

from facts import read
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.extract import Extraction, Graph, unite

COMPOSE = read(
    """
services:
  gateway: {build: edge-server, depends_on: [cfg]}
  cfg: {build: services/config-server}
  pay: {image: acme/base}
  mail: {image: acme/base}
  sessions-redis: {image: redis}
""",
    "docker-compose.yml",
)
CONFIG = read("spring.application.name: config-server\nserver.port: 8888\n", "config-server/application.yml")
EDGE = read("spring.application.name: edge-server\nconfig.uri: http://localhost:8888\n", "edge-server/application.yml")
SHARED = read("eureka.zone: http://registry:8761/\n", "config-server/src/main/resources/shared/application.yml")
TEXT = read("# Overview\n\nThe API Gateway calls the mail service. The mail service uses Redis, like Wikipedia does.\n")
ALL = [COMPOSE, CONFIG, EDGE, SHARED, TEXT]


def edges(graph: Graph, sure: float = 0.5) -> set[tuple[str, str]]:
    return {(each.source, each.target) for each in graph.at_least(sure).edges}


def entity_of(graph: Graph, name: str) -> frozenset[str]:
    return next((each.names for each in graph.entities if name in each.names), frozenset[str]())


def test_a_container_and_what_it_is_built_from_are_one() -> None:
    graph = unite([COMPOSE, CONFIG])
    assert entity_of(graph, "cfg") == entity_of(graph, "configserver") == {"cfg", "configserver"}


def test_what_several_claim_is_a_kind_and_no_alias() -> None:
    graph = unite([COMPOSE, read("We build on the base image of Base Camp. The `base` service.")])
    assert entity_of(graph, "pay") != entity_of(graph, "mail")


def test_an_address_means_whoever_listens_there() -> None:
    assert edges(unite([CONFIG, EDGE])) == {("edge-server", "config-server")}
    assert edges(unite([EDGE])) == set()
    another = read("spring.application.name: other\nserver.port: 8888\n", "other/application.yml")
    assert edges(unite([CONFIG, EDGE, another])) == set()


def test_clients_inherit_the_settings_they_are_handed() -> None:
    registry = read("services:\n  registry: {image: acme/registry}\n", "docker-compose.yml")
    assert ("edge-server", "registry") in edges(unite([CONFIG, EDGE, SHARED, registry]))
    assert ("edge-server", "registry") not in edges(unite([CONFIG, EDGE, registry]))


def test_a_product_means_its_only_instance_and_a_short_name_its_only_bearer() -> None:
    graph = unite([COMPOSE, TEXT])
    assert "redis" in entity_of(graph, "sessionsredis")
    assert "apigateway" in entity_of(graph, "gateway")
    assert {("gateway", "mail"), ("mail", "sessions-redis")} <= edges(graph)


def test_where_a_system_is_declared_talk_counts_less() -> None:
    spoken = read("The Ledger service calls the Quill service.")
    assert edges(unite([spoken])) == {("Ledger", "Quill")}
    assert ("Ledger", "Quill") not in edges(unite([spoken, COMPOSE]))


@given(st.permutations(ALL))
def test_the_order_of_documents_does_not_matter(documents: list[Extraction]) -> None:
    assert unite(documents) == unite(ALL)


@given(st.lists(st.sampled_from(range(len(ALL))), unique=True))
def test_nothing_is_left_of_a_document_that_is_gone(kept: list[int]) -> None:
    graph = unite(ALL[each] for each in kept)
    known = {mention.name for each in kept for mention in ALL[each].mentions}
    assert {each.name for each in graph.entities} <= known


def test_nothing_gives_nothing() -> None:
    assert unite([]) == Graph((), ())

"""The graph of a folder is what its documents say together, as far as they may be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from graphs import edges, entities, keys_of, look, put, stated, write

from knowgate.errors import NotFoundError
from knowgate.knowledge.extract import key
from knowgate.knowledge.graph.joins import Decision
from knowgate.model import Filter, Schema, Step
from knowgate.store.port import Batch, DocumentWrite, Facts, Mention, Store

NewStore = Callable[[], Store]
COMPOSE = """
services:
  gateway: {build: edge-server, depends_on: [cfg]}
  cfg: {build: services/config-server}
  pay: {image: acme/base}
  mail: {image: acme/base}
  sessions-redis: {image: redis}
"""
FILES = {
    "docker-compose.yml": COMPOSE,
    "config-server/application.yml": "spring.application.name: config-server\nserver.port: 8888\n",
    "edge-server/application.yml": "spring.application.name: edge-server\nconfig.uri: http://localhost:8888\n",
    "config-server/src/main/resources/shared/application.yml": "eureka.zone: http://registry:8761/\n",
    "text.md": "# Overview\n\nThe API Gateway calls the mail service. The mail service uses Redis, like Wikipedia.\n",
}
CONFIG, EDGE, SHARED = [name for name in FILES if "application" in name]


def some(*names: str, **more: str) -> dict[str, str]:
    return {name: FILES[name] for name in names} | {f"{name}.md": text for name, text in more.items()}


def made(name: str, said: Sequence[tuple[str, str, float]], description: str = "") -> DocumentWrite:
    """A document with a passage for each mention: a name, a type, and how surely."""
    empty = write(name, "Nothing.")
    chunks = [replace(empty.chunks[0], id=f"{name}:{number}", ordinal=number) for number in range(len(said))]
    mentions = [Mention(key(each[0]), number, *each, description) for number, each in enumerate(said)]
    return replace(empty, chunks=chunks, facts=Facts(mentions=mentions))


def branches(step: Step) -> Iterator[tuple[str, ...]]:
    for each in step.steps:
        yield from ((each.name, *below) for below in branches(each)) if each.steps else [(each.name,)]


def test_a_container_and_what_it_is_built_from_are_one(new_store: NewStore) -> None:
    put(store := new_store(), some("docker-compose.yml", CONFIG))
    assert keys_of(look(store), "cfg") == keys_of(look(store), "config-server") == {"cfg", "configserver"}


def test_what_several_claim_is_a_kind_and_no_alias(new_store: NewStore) -> None:
    put(store := new_store(), some("docker-compose.yml", base="We build on the base image. The `base` service."))
    assert keys_of(look(store), "pay") != keys_of(look(store), "mail")


def test_an_address_means_whoever_listens_there(new_store: NewStore) -> None:
    put(store := new_store(), some(CONFIG, EDGE))
    assert edges(look(store)) == {("edge-server", "config-server")}
    put(store := new_store(), some(EDGE))
    assert edges(look(store)) == set()
    another = {"other/application.yml": "spring.application.name: other\nserver.port: 8888\n"}
    put(store := new_store(), some(CONFIG, EDGE) | another)
    assert edges(look(store)) == set()


def test_clients_inherit_the_settings_they_are_handed(new_store: NewStore) -> None:
    registry = {"docker-compose.yml": "services:\n  registry: {image: acme/registry}\n"}
    put(store := new_store(), some(CONFIG, EDGE, SHARED) | registry)
    assert ("edge-server", "registry") in edges(look(store))
    view = look(store)
    path = view.path(view.resolve("edge-server").root, view.resolve("registry").root, 1)
    assert path and [each.target for each in path] == ["registry"]
    put(store := new_store(), some(CONFIG, EDGE) | registry)
    assert ("edge-server", "registry") not in edges(look(store))


def test_a_product_means_its_only_instance_and_a_short_name_its_only_bearer(new_store: NewStore) -> None:
    put(store := new_store(), some("docker-compose.yml", "text.md"))
    view = look(store)
    assert "redis" in keys_of(view, "sessions-redis")
    assert "apigateway" in keys_of(view, "gateway")
    assert {("gateway", "mail"), ("mail", "sessions-redis")} <= edges(view)


def test_where_a_system_is_declared_talk_counts_less(new_store: NewStore) -> None:
    spoken = {"talk.md": "The Ledger service calls the Quill service."}
    put(store := new_store(), spoken)
    assert edges(look(store)) == {("Ledger", "Quill")}
    put(store := new_store(), spoken | some("docker-compose.yml"))
    assert ("Ledger", "Quill") not in edges(look(store))
    assert ("Ledger", "Quill") in {(source, target) for source, _, target in stated(look(store))}


def test_the_count_is_that_of_the_entities_listed(new_store: NewStore) -> None:
    put(store := new_store(), FILES)
    view = look(store, decisions=[Decision("mail", means="pay"), Decision("gateway", means="cfg")])
    types = Counter(each.type for each in entities(view).values())
    assert view.stats() == (types, Counter(type for _, type, _ in stated(view)))


def test_an_entity_counts_as_what_most_is_said_for(new_store: NewStore) -> None:
    store = new_store()
    said = [("DATABASE", 0.9), ("SERVICE", 0.9), ("SERVICE", 0.8)]
    store.apply(Batch(documents=[made("a.md", [("vault", *each) for each in said])]))
    assert look(store).stats()[0] == {"SERVICE": 1}
    assert look(store).entities(type="DATABASE") == []


def test_a_page_of_a_type_is_full_whatever_single_passages_take_for_it(new_store: NewStore) -> None:
    store = new_store()
    doubtful = [(f"n{number}", *said) for number in range(30) for said in (("DATABASE", 0.8), ("SERVICE", 0.9))]
    store.apply(Batch(documents=[made("a.md", [*doubtful, ("vault", "DATABASE", 0.5)])]))
    assert [each.name for each in look(store).entities(type="DATABASE", limit=5)] == ["vault"]


def test_a_part_of_a_name_is_found_before_descriptions(new_store: NewStore) -> None:
    store = new_store()
    about = made("a.md", [(f"n{number}", "SERVICE", 0.9) for number in range(30)], "calls the ledger")
    store.apply(Batch(documents=[about, made("b.md", [("subledgers", "SERVICE", 0.5)])]))
    found = look(store).resolve("ledger")
    assert (found.entity.name, found.also) == ("subledgers", ())
    assert [each.name for each in look(store).entities("ledger", limit=2)] == ["subledgers", "n0"]


@pytest.mark.parametrize("name", ["", " ", "%"])
def test_a_name_without_letters_means_nothing(new_store: NewStore, name: str) -> None:
    put(store := new_store(), FILES)
    with pytest.raises(NotFoundError):
        look(store).resolve(name)


def test_a_trace_is_no_deeper_than_was_asked_for(new_store: NewStore) -> None:
    ways = ("start --> a", "start --> b", "a --> c", "b --> d", "c --> d", "d --> e")
    put(store := new_store(), {"flow.md": "```mermaid\ngraph LR\n  {}\n```\n".format("\n  ".join(ways))})
    tree = look(store).trace("start", "downstream", 2)
    assert set(branches(tree)) == {("a", "c"), ("b", "d")}
    # What can be reached on two ways follows the nearer one.
    tree = look(store).trace("start", "downstream", 3)
    assert set(branches(tree)) == {("a", "c", "d"), ("b", "d", "e")}


def test_every_entity_and_relation_knows_all_its_passages(new_store: NewStore) -> None:
    put(
        store := new_store(),
        {"a.md": "The Ledger service calls the Quill service.", "b.md": "The Ledger service calls the Quill service."},
    )
    view = look(store)
    assert entities(view)["Ledger"].documents == 2
    assert {each.document for each in view.relations([view.resolve("Ledger").root])[0].passages} == {"a.md", "b.md"}


def test_a_deleted_document_takes_only_what_nobody_else_says(new_store: NewStore) -> None:
    put(
        store := new_store(),
        {
            "a.md": "The Ledger service calls the Quill service. The Ledger service uses Kafka.",
            "b.md": "The Ledger service calls the Quill service.",
        },
    )
    store.apply(Batch(delete=["a.md"]))
    view = look(store)
    assert {"Ledger", "Quill"} <= set(entities(view))
    assert "Kafka" not in entities(view)
    assert {(source, target) for source, _, target in stated(view)} == {("Ledger", "Quill")}


def test_what_a_filter_hides_is_in_no_name_count_relation_or_walk(new_store: NewStore) -> None:
    put(
        store := new_store(),
        {
            "open.md": "The Ledger service calls the Quill service.",
            "secret.md": "The LEDGER service calls the Vault service. The Vault service calls the Quill service.",
        },
    )
    view = look(store, Filter(names=("open.md",)))
    assert set(entities(view)) == {"Ledger", "Quill"}
    assert entities(view)["Ledger"].aliases == ()
    assert entities(view)["Ledger"].documents == 1
    assert stated(view) == {("Ledger", "USES", "Quill")}
    assert view.stats()[1] == {"USES": 1}
    with pytest.raises(NotFoundError) as refused:
        view.resolve("Vault")
    assert "Vault" not in refused.value.fix
    assert view.trace(view.resolve("Ledger").root, "downstream").steps[0].name == "Quill"


def test_names_are_found_exactly_then_in_any_case_then_in_part(new_store: NewStore) -> None:
    put(
        store := new_store(),
        {"a.md": "The Ledger service calls the SubledgerArchive service. The Ledger service calls the Quill service."},
    )
    view = look(store)

    def name(said: str) -> tuple[str, tuple[str, ...]]:
        found = view.resolve(said)
        return view.describe([found.root])[found.root].name, found.also

    assert name("SubledgerArchive") == ("SubledgerArchive", ())
    assert name("subledger-archive") == ("SubledgerArchive", ())
    assert name("LEDGER") == ("Ledger", ())
    assert name("ledgers") == ("Ledger", ())
    assert name("chive") == ("SubledgerArchive", ())
    first, also = name("edge")
    assert {first, *also} == {"Ledger", "SubledgerArchive"}
    with pytest.raises(NotFoundError, match=r'Entity not found: "Quil1"\.') as refused:
        view.resolve("Quil1")
    assert "Quill" in refused.value.fix


def test_what_people_decide_outlives_a_new_indexing(new_store: NewStore) -> None:
    files = {"a.md": "The Ledger service calls the Quill service. The Bookkeeper service calls the Quill service."}
    put(store := new_store(), files)
    decisions = [Decision("bookkeeper", means="ledger"), Decision("ledger", name="The Books")]
    for _ in range(2):
        view = look(store, decisions=decisions)
        assert "The Books" in entities(view)
        assert not {"Ledger", "Bookkeeper"} & set(entities(view))
        assert stated(view) == {("The Books", "USES", "Quill")}
        store.apply(Batch(delete=["a.md"]))
        put(store, files)


def test_flow_follows_the_type_of_the_relation(new_store: NewStore) -> None:
    put(
        store := new_store(),
        {
            "flow.md": "```mermaid\ngraph LR\n  shop-service -->|publishes to| orders-topic\n"
            "  billing-service -->|consumes| orders-topic\n```\n"
        },
    )
    view = look(store)
    relations = stated(view)
    assert ("shop-service", "PRODUCES", "orders-topic") in relations
    assert ("billing-service", "CONSUMES", "orders-topic") in relations
    tree = view.trace(view.resolve("shop-service").root, "downstream")
    assert [step.name for step in tree.steps] == ["orders-topic"]
    assert [(step.name, step.relations) for step in tree.steps[0].steps] == [("billing-service", ("←CONSUMES",))]
    schema = Schema(("SERVICE", "CONCEPT"), ("PRODUCES", "CONSUMES"), {})
    unturned = look(store, schema=schema)
    assert not unturned.trace(unturned.resolve("shop-service").root, "downstream").steps[0].steps


def test_nothing_gives_nothing(new_store: NewStore) -> None:
    view = look(new_store())
    assert list(view.pages()) == []
    assert view.stats() == ({}, {})
    assert view.entities() == []

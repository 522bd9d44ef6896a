"""What people decide about names: it holds for the entity they spoke of, whatever the documents say later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from graphs import write
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import InputError, NotFoundError
from knowgate.knowledge.graph.graph import Graph
from knowgate.model import DEFAULT_SCHEMA, Filter
from knowgate.store.port import Batch, Store
from knowgate.store.sqlite.store import SqliteStore

NewStore = Callable[[], Store]
NAMES = ("Ledger", "Mailer", "Notary", "Oracle", "Planner")


def graph_of(store: Store) -> Graph:
    text = " ".join(f"The {name} service calls the Quill service." for name in NAMES)
    store.apply(Batch(documents=[write("a.md", text)]))
    return Graph(store, DEFAULT_SCHEMA)


def names(graph: Graph) -> set[str]:
    return {each.name for each in graph.view().entities(limit=100)} - {"Quill"}


@given(st.lists(st.tuples(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), st.sampled_from(NAMES))))
def test_whatever_was_merged_stays_merged_under_the_last_name(merges: Sequence[tuple[list[str], str]]) -> None:
    groups = {name: frozenset((name,)) for name in NAMES}
    called = {name: name for name in NAMES}
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder))
        graph = graph_of(store)
        for merged, into in merges:
            graph.merge(merged, into)
            together = frozenset[str]().union(*(groups[name] for name in (*merged, into)))
            groups |= dict.fromkeys(together, together)
            called |= dict.fromkeys(together, called[into])
        view = graph.view()
        assert {name: view.resolve(name).entity.name for name in NAMES} == called
        assert names(graph) == set(called.values())
        store.close()


def test_the_last_name_that_was_given_holds(new_store: NewStore) -> None:
    graph = graph_of(new_store())
    graph.merge(["Ledger"], "Mailer")
    graph.rename("Mailer", "Post")
    assert names(graph) == {"Post", "Notary", "Oracle", "Planner"}
    graph.rename("ledger", "Desk")
    assert names(graph) == {"Desk", "Notary", "Oracle", "Planner"}
    graph.merge(["Desk"], "Notary")
    assert names(graph) == {"Notary", "Oracle", "Planner"}


def test_a_merge_shows_no_name_that_only_hidden_documents_use(new_store: NewStore) -> None:
    store = new_store()
    graph = graph_of(store)
    store.apply(Batch(documents=[write("secret.md", "The Zeus service calls the Quill service.")]))
    graph.merge(["Ledger"], "Zeus")
    assert "Zeus" in names(graph)
    seen = {each.name for each in graph.view(Filter(names=("a.md",))).entities(limit=100)}
    assert "Ledger" in seen
    assert "Zeus" not in seen


def test_a_new_name_is_found_by_a_part_of_it(new_store: NewStore) -> None:
    graph = graph_of(new_store())
    graph.rename("Ledger", "Purchase Desk")
    assert graph.view().resolve("chase d").entity.name == "Purchase Desk"
    assert [each.name for each in graph.view().entities("DESK")] == ["Purchase Desk"]


def test_a_decision_does_not_hang_on_what_a_document_says(new_store: NewStore) -> None:
    store = new_store()
    graph = graph_of(store)
    compose = write("docker-compose.yml", "services:\n  ledger: {build: accounts}\n  other: {build: other}\n")
    store.apply(Batch(documents=[compose]))
    view = graph.view()
    assert view.resolve("ledger").root == view.resolve("accounts").root == "account"
    graph.alias("Ledger", "The Books")
    graph.merge(["Ledger"], "Oracle")
    store.apply(Batch(delete=["docker-compose.yml"]))
    assert graph.view().resolve("the books").entity.name == "Oracle"
    assert graph.forget("Ledger")
    assert {"Ledger", "Oracle"} <= names(graph)
    assert graph.view().resolve("The Books").entity.name == "Ledger"


def test_what_was_decided_can_be_taken_back_by_either_name(new_store: NewStore) -> None:
    graph = graph_of(new_store())
    graph.rename("Ledger", "Purchase Desk")
    assert graph.forget("Purchase Desk")
    assert names(graph) == set(NAMES)
    with pytest.raises(NotFoundError):
        graph.view().resolve("Purchase Desk")
    assert not graph.forget("Purchase Desk")
    assert graph.decisions() == []


def test_a_name_is_no_alias_of_itself(new_store: NewStore) -> None:
    graph = graph_of(new_store())
    graph.alias("Ledger", "Books")
    for name, other in (("Ledger", "ledger-service"), ("Books", "Ledger"), ("Ledger", " ")):
        with pytest.raises(InputError) as refused:
            graph.alias(name, other)
        assert refused.value.code == "bad_alias"


def test_a_part_of_several_names_decides_nothing(new_store: NewStore) -> None:
    graph = graph_of(new_store())
    calls: list[Callable[[], None]] = [
        lambda: graph.merge(["er"], "Oracle"),
        lambda: graph.merge(["Oracle"], "er"),
        lambda: graph.rename("er", "Books"),
        lambda: graph.alias("er", "Books"),
    ]
    for call in calls:
        with pytest.raises(InputError) as refused:
            call()
        assert refused.value.code == "several_entities"
        assert {"Ledger", "Mailer", "Planner"} <= set(refused.value.message[:-1].replace(",", "").split())
    assert graph.decisions() == []
    graph.rename("edge", "Books")
    assert "Books" in names(graph)


def test_a_name_that_is_taken_is_not_given(new_store: NewStore) -> None:
    graph = graph_of(new_store())
    with pytest.raises(InputError) as refused:
        graph.rename("Ledger", "mailer")
    assert refused.value.code == "name_taken"
    assert names(graph) == set(NAMES)
    graph.rename("Ledger", "LEDGER")
    graph.alias("Ledger", "Books")
    graph.rename("Ledger", "Books")
    assert names(graph) == {"Books", "Mailer", "Notary", "Oracle", "Planner"}

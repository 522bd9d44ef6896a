"""The promises of the port about the graph, kept by every store."""

from __future__ import annotations

from dataclasses import replace

from contract import delete, document, embed, put

from knowgate.model import Filter
from knowgate.store.port import (
    Clue,
    Definition,
    DocumentWrite,
    Edge,
    Evidence,
    Facts,
    Link,
    Mention,
    Name,
    Spread,
    Store,
)

ODD = "Zoë's \"ledger\" 100% ' \\ – 東京 🦉"
ONLY_A = Filter(ids=("a",))


def with_facts(id: str, *texts: str, **facts: list[object]) -> DocumentWrite:
    return replace(document(id, *texts), facts=Facts(**facts))  # type: ignore[arg-type]


def two(store: Store) -> None:
    put(
        store,
        with_facts(
            "a", "one", "two",
            names=[Name("ledger", 0, 1.0), Name("quill", 1, 0.5)],
            mentions=[
                Mention("ledger", 0, "Ledger", "SERVICE", 0.9, "keeps books"),
                Mention("ledger", 1, "ledger", "SERVICE", 0.5),
                Mention("quill", 1, ODD, "CONCEPT", 0.5),
            ],
            links=[Link("ledger", "quill", "USES", 1, 0.75, "writes with it")],
            clues=[Clue("alias", "books", "ledger"), Clue("part", "ledger", "ledger", "SERVICE")],
        ),
        with_facts(
            "b", "three",
            names=[Name("ledger", 0, 0.7)],
            mentions=[Mention("ledger", 0, "Ledger", "DATABASE", 0.6), Mention("quill", 0, "Quill", "CONCEPT", 0.5)],
            links=[Link("ledger", "quill", "USES", 0, 0.9), Link("quill", "ledger", "OWNS", 0, 0.5)],
            clues=[Clue("alias", "books", "ledger")],
        ),
    )  # fmt: skip


def test_definitions_by_name(store: Store) -> None:
    two(store)
    found = store.definitions(["ledger", "quill", "nothing"])
    assert set(found) == {"ledger", "quill"}
    assert sorted(found["ledger"], key=lambda each: each.chunk_id) == [Definition("a:0", 1.0), Definition("b:0", 0.7)]
    assert store.definitions(["ledger"], ONLY_A) == {"ledger": [Definition("a:0", 1.0)]}
    assert len(store.definitions(["ledger"], most=1)["ledger"]) == 1
    assert store.definitions([]) == {}


def test_a_filter_comes_before_the_most(store: Store) -> None:
    put(store, *(with_facts(f"d{i}", "x", names=[Name("n", 0, 1.0)]) for i in range(20)))
    assert store.definitions(["n"], Filter(ids=("d19",)), most=3) == {"n": [Definition("d19:0", 1.0)]}


def test_spellings_add_up_what_passages_say(store: Store) -> None:
    two(store)
    found = {(each.key, each.name, each.type): each for each in store.spellings(["ledger", "quill"])}
    assert set(found) == {
        ("ledger", "Ledger", "SERVICE"), ("ledger", "ledger", "SERVICE"), ("ledger", "Ledger", "DATABASE"),
        ("quill", ODD, "CONCEPT"), ("quill", "Quill", "CONCEPT"),
    }  # fmt: skip
    assert found["ledger", "Ledger", "SERVICE"].description == "keeps books"
    assert found["ledger", "Ledger", "SERVICE"].confidence == 0.9
    assert found["ledger", "Ledger", "SERVICE"].weight > found["ledger", "ledger", "SERVICE"].weight
    assert {each.type for each in store.spellings(["ledger"], ONLY_A)} == {"SERVICE"}
    assert store.spellings(["nothing"]) == []


def test_entities_the_surest_and_most_named_first(store: Store) -> None:
    two(store)
    assert store.scan_entities() == ["ledger", "quill"]
    assert store.scan_entities(limit=1, offset=1) == ["quill"]
    assert store.scan_entities(text="KEEPS") == ["ledger"]
    assert store.scan_entities(text="zoË'S") == ["quill"]
    assert store.scan_entities(text="%") == ["quill"]
    assert store.scan_entities(type="DATABASE") == ["ledger"]
    assert store.scan_entities(ONLY_A, type="DATABASE") == []
    assert store.scan_entities(text="nowhere") == []


def test_spread_counts_each_document_and_passage_once(store: Store) -> None:
    two(store)
    assert store.spread([["ledger"], ["ledger", "quill"], ["nothing"], []]) == [
        Spread(2, 3), Spread(2, 3), Spread(0, 0), Spread(0, 0),
    ]  # fmt: skip
    assert store.spread([["ledger"]], ONLY_A) == [Spread(1, 2)]


def test_neighbours_in_each_direction(store: Store) -> None:
    two(store)
    uses, owns = Edge("ledger", "quill", "USES", 0.9, 2), Edge("quill", "ledger", "OWNS", 0.5, 1)
    assert store.neighbours(["ledger"], "out") == [uses]
    assert store.neighbours(["ledger"], "in") == [owns]
    assert sorted(store.neighbours(["ledger", "quill"], "both"), key=repr) == sorted([uses, owns], key=repr)
    assert store.neighbours(["ledger"], "both", ONLY_A) == [Edge("ledger", "quill", "USES", 0.75, 1)]
    assert store.neighbours(["nothing"], "both") == []


def test_evidence_the_surest_first(store: Store) -> None:
    two(store)
    triple = ("ledger", "quill", "USES")
    assert store.evidence([triple]) == {triple: [Evidence("b:0", 0.9), Evidence("a:1", 0.75, "writes with it")]}
    assert store.evidence([triple], most=1) == {triple: [Evidence("b:0", 0.9)]}
    assert store.evidence([triple], ONLY_A) == {triple: [Evidence("a:1", 0.75, "writes with it")]}
    assert store.evidence([("quill", "ledger", "USES")]) == {}
    assert store.passages_of(["ledger"], most=2) == {
        "ledger": [Evidence("a:0", 0.9, "keeps books"), Evidence("b:0", 0.6)]
    }
    assert [each.chunk_id for each in store.passages_of(["ledger"], ONLY_A)["ledger"]] == ["a:0", "a:1"]


def test_what_passages_name(store: Store) -> None:
    two(store)
    assert {id: sorted(found) for id, found in store.mentions_in(["a:0", "a:1", "b:7"]).items()} == {
        "a:0": [("ledger", 0.9)], "a:1": [("ledger", 0.5), ("quill", 0.5)],
    }  # fmt: skip


def test_clues_and_counts(store: Store) -> None:
    two(store)
    assert store.clues(["alias"]) == [Clue("alias", "books", "ledger")]
    assert store.clues(["part", "alias"], ["ledger"]) == [Clue("part", "ledger", "ledger", "SERVICE")]
    assert store.clues(["part"], where=Filter(ids=("b",))) == []
    entities, relations = store.count_graph()
    assert entities == {"SERVICE": 1, "CONCEPT": 1}
    assert relations == {"USES": 1, "OWNS": 1}
    assert store.count_graph(ONLY_A)[1] == {"USES": 1}


def test_facts_go_with_their_document(store: Store) -> None:
    two(store)
    version = store.graph_version()
    delete(store, "a")
    assert store.graph_version() != version
    assert store.neighbours(["ledger"], "out") == [Edge("ledger", "quill", "USES", 0.9, 1)]
    assert {each.type for each in store.spellings(["ledger"])} == {"DATABASE"}
    put(store, document("b", "three"))
    assert store.scan_entities() == []
    assert store.clues(["alias", "part"]) == []
    assert store.definitions(["ledger"]) == {}
    assert store.check(thorough=True) == []


def test_new_facts_for_the_same_passages_keep_the_vectors(store: Store) -> None:
    put(store, document("a", "one", "two"))
    embed(store)
    before = store.document_vectors("a")
    assert before is not None
    put(store, with_facts("a", "one", "two", mentions=[Mention("ledger", 0, "Ledger", "SERVICE", 0.9)]))
    after = store.document_vectors("a")
    assert after is not None
    assert (before == after).all()
    assert store.scan_entities() == ["ledger"]
    put(store, document("a", "one", "changed"))
    assert store.document_vectors("a") is None


def test_names_with_the_text_come_before_descriptions_with_it(store: Store) -> None:
    said = Mention("ledger", 0, "Ledger", "SERVICE", 0.9, "has a quill"), Mention("quill", 0, "Quill", "CONCEPT", 0.5)
    put(store, with_facts("a", "one", mentions=list(said)))
    assert store.scan_entities(text="quill") == ["quill", "ledger"]
    assert store.scan_entities(ONLY_A, "QUILL", "SERVICE") == ["ledger"]


def test_a_key_counts_as_the_type_of_most_weight(store: Store) -> None:
    said = [("DATABASE", 0.9), ("SERVICE", 0.8), ("SERVICE", 0.8), ("SERVICE", 0.8)]
    mentions: list[object] = [Mention("ledger", place, "Ledger", *each) for place, each in enumerate(said)]
    put(store, with_facts("a", "one", "two", "three", "four", mentions=mentions))
    assert store.count_graph()[0] == {"SERVICE": 1}


def test_many_groups_and_a_long_text(store: Store) -> None:
    facts = Facts(mentions=[Mention(f"e{n}", 0, f"E{n}", "SERVICE", 0.9) for n in range(500)])
    put(store, replace(document("many", "one passage"), facts=facts))
    groups = [[f"e{n}"] for n in range(500)]
    assert store.spread([*groups, ["nobody"]]) == [*[Spread(1, 1)] * 500, Spread(0, 0)]
    assert store.scan_entities(text="e" * 1000) == []

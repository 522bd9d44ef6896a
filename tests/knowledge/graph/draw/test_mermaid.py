from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.graph.draw.mermaid import MOST_ENTITIES, MOST_RELATIONS, mermaid
from knowgate.model import Entity, Relation

NODE = re.compile(r'  (n\d+|rest)\["[^"\[\]{}|`\\]*"\](:::t\d+)?')
ARROW = re.compile(r'  n\d+ -->\|"[^"\[\]{}|`\\<>]*"\| n\d+')
CLASS = re.compile(r"  classDef t\d+ fill:#\w{6},stroke:#555,color:#111")


def well_formed(text: str) -> bool:
    first, *lines = text.removesuffix("\n").split("\n")
    return first == "flowchart LR" and all(NODE.fullmatch(x) or ARROW.fullmatch(x) or CLASS.fullmatch(x) for x in lines)


def test_a_small_graph():
    entities = [Entity("orders", "SERVICE"), Entity("order-db", "DATABASE")]
    assert mermaid(entities, [Relation("orders", "order-db", "USES")]) == (
        "flowchart LR\n"
        '  n0["order-db<br>DATABASE"]:::t0\n'
        '  n1["orders<br>SERVICE"]:::t1\n'
        '  n1 -->|"USES"| n0\n'
        "  classDef t0 fill:#cfe3f5,stroke:#555,color:#111\n"
        "  classDef t1 fill:#f8dcc4,stroke:#555,color:#111\n"
    )


def test_nothing_breaks_out_of_a_label(entities: list[Entity], relations: list[Relation]):
    text = mermaid(entities, relations)
    assert well_formed(text)
    assert "script>" not in text


@given(st.text(), st.text(), st.text())
def test_any_names(name: str, type: str, relation: str):
    assert well_formed(mermaid([Entity(name, type), Entity("b" + name, type)], [Relation(name, name, relation)]))


def test_a_large_graph_is_cut_and_says_so():
    entities = [Entity(f"service {number}", "SERVICE") for number in range(1000)]
    relations = [Relation("service 0", each.name, "USES", confidence=0.1) for each in entities[1:]]
    relations += [Relation("service 7", each.name, "USES") for each in entities[:500] if each.name != "service 7"]
    text = mermaid(entities, relations)
    assert text.count(":::") == MOST_ENTITIES
    assert text.count("-->") <= MOST_RELATIONS
    assert "service 0<br>" in text
    said = re.search(r'rest\["not shown: (\d+) more entities and (\d+) more relations"\]', text)
    assert said
    assert int(said[1]) == 1000 - MOST_ENTITIES
    assert int(said[2]) == len(relations) - text.count("-->")
    assert len(text) < 50_000


def test_an_empty_graph():
    assert mermaid([], []) == "flowchart LR\n"

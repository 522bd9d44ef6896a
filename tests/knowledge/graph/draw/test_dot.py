from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.graph.draw.dot import dot
from knowgate.model import Entity, Relation

TEXT = r'"(?:\\.|[^"\\\n])*"'
NODE = re.compile(rf"  n\d+ \[label={TEXT}, tooltip={TEXT}, fillcolor={TEXT}\];")
ARROW = re.compile(rf"  n\d+ -> n\d+ \[label={TEXT}, tooltip={TEXT}\];")


def body(text: str) -> list[str]:
    lines = text.split("\n")
    assert lines[0] == "digraph knowgate {"
    assert lines[-2:] == ["}", ""]
    return lines[4:-2]


def test_a_small_graph():
    nodes = [Entity("orders", "SERVICE", "Takes orders."), Entity("order-db", "DATABASE")]
    assert body(dot(nodes, [Relation("orders", "order-db", "USES", "reads")])) == [
        r'  n0 [label="order-db\nDATABASE", tooltip="order-db", fillcolor="#cfe3f5"];',
        r'  n1 [label="orders\nSERVICE", tooltip="Takes orders.", fillcolor="#f8dcc4"];',
        r'  n1 -> n0 [label="USES", tooltip="reads"];',
    ]


def test_nothing_breaks_out_of_a_label(entities: list[Entity], relations: list[Relation]):
    assert all(NODE.fullmatch(line) or ARROW.fullmatch(line) for line in body(dot(entities, relations)))


@given(st.text(), st.text())
def test_any_names(name: str, type: str):
    lines = body(dot([Entity(name, type, type)], [Relation(name, name, type)]))
    assert len(lines) == 2
    assert NODE.fullmatch(lines[0])
    assert ARROW.fullmatch(lines[1])

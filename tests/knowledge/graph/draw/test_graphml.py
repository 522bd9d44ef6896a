from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from knowgate.knowledge.graph.draw.graphml import graphml
from knowgate.model import Entity, Relation

SPACE = {"g": "http://graphml.graphdrawing.org/xmlns"}


def parsed(text: str) -> etree._Element:
    return etree.fromstring(text.encode())


def values(element: etree._Element) -> dict[str, str]:
    return {data.get("key", ""): data.text or "" for data in element.iterfind("g:data", SPACE)}


def test_values_are_under_typed_keys(entities: list[Entity], relations: list[Relation]):
    root = parsed(graphml(entities, relations))
    types = {key.get("id"): (key.get("for"), key.get("attr.type")) for key in root.iterfind("g:key", SPACE)}
    assert types["node_mentions"] == ("node", "int")
    assert types["edge_confidence"] == ("edge", "double")
    used = list(root.iterfind(".//g:data", SPACE))
    assert used
    assert all(data.get("key") in types for data in used)


def test_nodes_and_edges(entities: list[Entity], relations: list[Relation]):
    root = parsed(graphml(entities, relations))
    nodes = {node.get("id"): values(node) for node in root.iterfind(".//g:node", SPACE)}
    edges = list(root.iterfind(".//g:edge", SPACE))
    assert len(nodes) == 4
    assert len(edges) == 2
    uses = next(edge for edge in edges if values(edge)["edge_label"] == "USES")
    assert nodes[uses.get("source")]["node_label"] == "orders"
    assert nodes[uses.get("target")]["node_label"] == "order-db"
    assert values(uses)["edge_passages"] == "Orders > Flow, page 3, guides/orders.md"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_names_come_back_as_they_were(name: str):
    node = parsed(graphml([Entity(name, "T")], [])).find(".//g:node", SPACE)
    assert node is not None
    assert values(node)["node_label"] in (name, name.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_valid_xml(text: str):
    parsed(graphml([Entity(text, text, text)], [Relation(text, text, text, text)]))

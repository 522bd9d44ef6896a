"""GraphML, for Gephi, yEd, Cytoscape and NetworkX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from knowgate.knowledge.graph.draw.parts import cited, ordered
from knowgate.model import Entity, Relation

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot say, not even escaped."""

_Value = str | int | float
_TYPES = {str: "string", int: "int", float: "double"}


def graphml(entities: Sequence[Entity], relations: Sequence[Relation]) -> str:
    entities, relations = ordered(entities, relations)
    ids = {entity.name: f"n{index}" for index, entity in enumerate(entities)}
    root = Xml.Element("graphml", xmlns=_NAMESPACE)
    for kind, values in (("node", _node(Entity("", ""))), ("edge", _edge(Relation("", "", "")))):
        for name, value in values.items():
            key = {"id": f"{kind}_{name}", "for": kind, "attr.name": name, "attr.type": _TYPES[type(value)]}
            Xml.SubElement(root, "key", key)
    graph = Xml.SubElement(root, "graph", id="knowgate", edgedefault="directed")
    for entity in entities:
        _fill(Xml.SubElement(graph, "node", id=ids[entity.name]), _node(entity))
    for index, relation in enumerate(relations):
        ends = {"id": f"e{index}", "source": ids[relation.source], "target": ids[relation.target]}
        _fill(Xml.SubElement(graph, "edge", ends), _edge(relation))
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _node(entity: Entity) -> dict[str, _Value]:
    return {
        "label": entity.name,
        "type": entity.type,
        "description": entity.description,
        "aliases": ", ".join(entity.aliases),
        "documents": entity.documents,
        "mentions": entity.mentions,
        "confidence": float(entity.confidence),
    }


def _edge(relation: Relation) -> dict[str, _Value]:
    return {
        "label": relation.type,
        "description": relation.description,
        "passages": "\n".join(map(cited, relation.passages)),
        "confidence": float(relation.confidence),
    }


def _fill(element: Xml.Element, values: dict[str, _Value]) -> None:
    for name, value in values.items():
        if value != "":
            data = Xml.SubElement(element, "data", key=f"{element.tag}_{name}")
            data.text = _FORBIDDEN.sub("\ufffd", str(value))

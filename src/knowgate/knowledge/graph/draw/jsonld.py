"""JSON-LD: entities with their relations as properties, and each relation again as a statement that has sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from urllib.parse import quote

import orjson

from knowgate.knowledge.graph.draw.parts import cited, ordered
from knowgate.model import Entity, Relation

_CONTEXT = {
    "schema": "https://schema.org/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "entity": "urn:knowgate:entity:",
    "type": "urn:knowgate:type:",
    "relation": "urn:knowgate:relation:",
    "name": "schema:name",
    "alternateName": "schema:alternateName",
    "description": "schema:description",
    "citation": "schema:citation",
    "confidence": {"@id": "urn:knowgate:confidence", "@type": "xsd:double"},
    "subject": {"@id": "rdf:subject", "@type": "@id"},
    "predicate": {"@id": "rdf:predicate", "@type": "@id"},
    "object": {"@id": "rdf:object", "@type": "@id"},
}


def jsonld(entities: Sequence[Entity], relations: Sequence[Relation]) -> str:
    entities, relations = ordered(entities, relations)
    targets: dict[str, dict[str, list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for relation in relations:
        targets[relation.source][_id("relation", relation.type)].append({"@id": _id("entity", relation.target)})
    graph = [
        *(_entity(entity, targets.get(entity.name, {})) for entity in entities),
        *(_statement(relation) for relation in relations),
    ]
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps({"@context": _CONTEXT, "@graph": graph}, option=options).decode()


def _entity(entity: Entity, targets: Mapping[str, object]) -> dict[str, object]:
    return _said(
        {
            "@id": _id("entity", entity.name),
            "@type": _id("type", entity.type),
            "name": entity.name,
            "alternateName": list(entity.aliases),
            "description": entity.description,
            **targets,
        }
    )


def _statement(relation: Relation) -> dict[str, object]:
    return _said(
        {
            "@type": "rdf:Statement",
            "subject": _id("entity", relation.source),
            "predicate": _id("relation", relation.type),
            "object": _id("entity", relation.target),
            "description": relation.description,
            "confidence": relation.confidence,
            "citation": list(map(cited, relation.passages)),
        }
    )


def _said(values: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value not in ("", [])}


def _id(kind: str, name: str) -> str:
    return f"{kind}:{quote(name, safe='')}"

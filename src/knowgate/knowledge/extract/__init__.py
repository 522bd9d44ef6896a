"""From a parsed document to entities and relations, with no model: structure, naming customs and verbs."""

from __future__ import annotations

from knowgate.knowledge.extract.document import extract
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.extract.shapes import DEFAULT_SCHEMA, Alias, Extraction, Mention, Relation, Schema
from knowgate.knowledge.extract.unite import Edge, Entity, Graph, unite

__all__ = [
    "DEFAULT_SCHEMA",
    "Alias",
    "Edge",
    "Entity",
    "Extraction",
    "Graph",
    "Mention",
    "Relation",
    "Schema",
    "extract",
    "key",
    "unite",
]

"""From a parsed document to entities and relations, with no model: structure, naming customs and verbs."""

from __future__ import annotations

from knowgate.knowledge.extract.document import extract
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.extract.shapes import Alias, Extraction, Mention, Relation
from knowgate.model import DEFAULT_SCHEMA, Schema

__all__ = [
    "DEFAULT_SCHEMA",
    "Alias",
    "Extraction",
    "Mention",
    "Relation",
    "Schema",
    "extract",
    "key",
]

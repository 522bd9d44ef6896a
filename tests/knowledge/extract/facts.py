"""Files read the product's own way, and what they say in a form that is easy to compare."""

from __future__ import annotations

from knowgate.knowledge.chunk import chunk
from knowgate.knowledge.extract import DEFAULT_SCHEMA, Extraction, Schema, extract
from knowgate.knowledge.parse import parse
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Chunk, Parsed


def count(text: str) -> int:
    return len(text.split())


def cut(parsed: Parsed) -> list[Chunk]:
    return chunk(parsed, "doc", parsed.title, count, 200)


def read(text: str, name: str = "notes.md", schema: Schema = DEFAULT_SCHEMA) -> Extraction:
    parsed = parse(text.encode(), name, ParseOptions())
    return extract(parsed, cut(parsed), schema, name)


def names(found: Extraction, *types: str, sure: float = 0.0) -> set[str]:
    return {each.name for each in found.mentions if (not types or each.type in types) and each.confidence >= sure}


def links(found: Extraction, sure: float = 0.5) -> set[tuple[str, str, str]]:
    return {(each.source, each.type, each.target) for each in found.relations if each.confidence >= sure}


def aliases(found: Extraction) -> set[tuple[str, str]]:
    return {(each.name, each.other) for each in found.aliases}

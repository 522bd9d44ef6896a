"""OpenAPI descriptions, as their reader writes them down: a heading for the API, each operation and each schema."""

from __future__ import annotations

import re

from knowgate.knowledge.extract.draft import DECLARED, STATED, Draft
from knowgate.model import Block, Parsed

_OPERATION = re.compile(r"(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY) /")
_VERSION = re.compile(r"\s+v?\d[\w.+-]*$")
_TAGS = re.compile(r"^Tags: (.+)$", re.M)
_TYPES = re.compile(r"(?:\(|list of |Request body \([^)\n]*\): |Parameter )([A-Z]\w+)")
_SCHEMA = "Schema "


def is_openapi(parsed: Parsed) -> bool:
    if parsed.type not in ("yaml", "json") or not parsed.title:
        return False
    heads = (
        parsed.text[block.start : block.end] for block in parsed.blocks if block.kind == "heading" and block.level == 2
    )
    return any(_OPERATION.match(head) or head.startswith(_SCHEMA) for head in heads)


def read_openapi(draft: Draft, parsed: Parsed) -> None:
    """The API, its tags and its schemas: the API owns them, and a schema uses those it is made of."""
    text = parsed.text
    name = _VERSION.sub("", parsed.title)
    at = max(text.find(name), 0)
    draft.name(name, "service", at, at + len(name) if text.startswith(name, at) else at, DECLARED)
    schemas = {
        text[low:high]: low for low, high in map(_schema, parsed.blocks, [text] * len(parsed.blocks)) if high > low
    }
    for schema, place in schemas.items():
        draft.name(schema, "concept", place, place + len(schema), DECLARED)
        draft.link(name, schema, "owns", place, STATED)
    owner = ""
    for block in parsed.blocks:
        if block.kind == "heading":
            low, high = _schema(block, text)
            owner = text[low:high]
            continue
        for tags in _TAGS.finditer(text, block.start, block.end):
            _add_tags(draft, text, name, *tags.span(1))
        for used in _TYPES.finditer(text, block.start, block.end):
            if used[1] in schemas:
                draft.link(owner or name, used[1], "uses", used.start(1), DECLARED)


def _schema(block: Block, text: str) -> tuple[int, int]:
    """Where the name of the schema stands that a heading begins; an empty span when it begins none."""
    if block.kind == "heading" and block.level == 2 and text.startswith(_SCHEMA, block.start):
        return block.start + len(_SCHEMA), block.end
    return block.start, block.start


def _add_tags(draft: Draft, text: str, api: str, start: int, end: int) -> None:
    for tag in text[start:end].split(", "):
        at = text.find(tag, start, end)
        draft.name(tag, "concept", at, at + len(tag), STATED)
        draft.link(api, tag, "owns", at, STATED)

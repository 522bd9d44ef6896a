"""OpenAPI descriptions, as their reader writes them down: a heading for the API, each operation and each schema."""

from __future__ import annotations

import re

from knowgate.knowledge.extract.draft import DECLARED, STATED, Draft
from knowgate.knowledge.extract.names import parts
from knowgate.knowledge.extract.words import COMMON, GENERIC, HOLLOW, NOUNS
from knowgate.model import Block, Parsed

_OPERATION = re.compile(r"(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY) /")
_VERSION = re.compile(r"\s+v?\d[\w.+-]*$")
_API = re.compile(r"\s+(?:(?:REST|HTTP|web|public|internal)\s+)?API$", re.I)
_TAGS = re.compile(r"^Tags: (.+)$", re.M)
_ID = re.compile(r"^Operation: (\S+)$", re.M)
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
    """The API owns its operations, tags and schemas, a tag its operations; all use the schemas they speak of."""
    text = parsed.text
    name = _VERSION.sub("", parsed.title)
    at = max(text.find(name), 0)
    draft.name(name, "service", at, at + len(name) if text.startswith(name, at) else at, DECLARED)
    _add_service(draft, name)
    schemas = {
        text[low:high]: low for low, high in map(_schema, parsed.blocks, [text] * len(parsed.blocks)) if high > low
    }
    for schema, place in schemas.items():
        draft.name(schema, "concept", place, place + len(schema), DECLARED)
        draft.link(name, schema, "owns", place, STATED)
    owner = operation = ""
    for block in parsed.blocks:
        if block.kind == "heading":
            low, high = _schema(block, text)
            operation = _operation(block, text)
            owner = text[low:high] or operation
            if operation:
                draft.name(operation, "operation", block.start, block.end, DECLARED)
                draft.link(name, operation, "owns", block.start, DECLARED)
            continue
        for tags in _TAGS.finditer(text, block.start, block.end):
            _add_tags(draft, text, name, operation, *tags.span(1))
        if operation and (id := _ID.search(text, block.start, block.end)) and len(parts(id[1])) > 1:
            draft.alias(operation, id[1])
        for used in _TYPES.finditer(text, block.start, block.end):
            if used[1] in schemas:
                draft.link(owner or name, used[1], "uses", used.start(1), DECLARED)


def _add_service(draft: Draft, api: str) -> None:
    """The "Orders API" is what other documents call Orders or the order service."""
    service = _API.sub("", api)
    telling = [word for word in parts(service) if word not in (COMMON - NOUNS) | GENERIC | HOLLOW]
    if service != api and telling:
        draft.alias(api, service)


def _schema(block: Block, text: str) -> tuple[int, int]:
    """Where the name of the schema stands that a heading begins; an empty span when it begins none."""
    if block.kind == "heading" and block.level == 2 and text.startswith(_SCHEMA, block.start):
        return block.start + len(_SCHEMA), block.end
    return block.start, block.start


def _operation(block: Block, text: str) -> str:
    is_one = block.level == 2 and _OPERATION.match(text, block.start, block.end)
    return text[block.start : block.end] if is_one else ""


def _add_tags(draft: Draft, text: str, api: str, operation: str, start: int, end: int) -> None:
    for tag in text[start:end].split(", "):
        at = text.find(tag, start, end)
        draft.name(tag, "concept", at, at + len(tag), STATED)
        draft.link(api, tag, "owns", at, STATED)
        draft.link(tag, operation, "owns", at, STATED)

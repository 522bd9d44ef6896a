"""JSON, JSON lines, YAML and TOML: values with the paths that lead to them."""

from __future__ import annotations

import tomllib
from typing import cast

import orjson

from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.detect import detect
from knowgate.knowledge.parse.openapi import add_openapi, is_openapi
from knowgate.knowledge.parse.outline import add_outline
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.knowledge.parse.text import parse_text
from knowgate.knowledge.parse.yaml import load_documents
from knowgate.model import Parsed


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:
    kind = detect(data, name)
    text = decode(data)
    try:
        documents = _load(text, kind.type)
    except (ValueError, RecursionError):
        # Comments in JSON, templates in YAML, a cut-off download: still worth reading as it stands.
        return parse_text(text, kind.type, kind.mime)
    builder = TextBuilder()
    title = ""
    for document in documents:
        if is_openapi(document):
            title = title or add_openapi(builder, cast("dict[str, object]", document))
        else:
            title = title or _title(document)
            add_outline(builder, document, options.max_expanded_bytes)
    whole, blocks = builder.build()
    return Parsed(whole, blocks, kind.type, kind.mime, title)


def _load(text: str, type_: str) -> list[object]:
    if type_ == "jsonl":
        return [[cast("object", orjson.loads(line)) for line in text.split("\n") if line.strip()]]
    if type_ == "json":
        return [cast("object", orjson.loads(text))]
    if type_ == "toml":
        return [tomllib.loads(text)]
    return load_documents(text)


def _title(document: object) -> str:
    said = cast("dict[object, object]", document).get("title") if isinstance(document, dict) else None
    return " ".join(said.split())[:200] if isinstance(said, str) else ""

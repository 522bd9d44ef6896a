"""One page with an interactive picture: everything is in it, and it asks for nothing from outside."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import orjson

from knowgate.knowledge.graph.draw.parts import best_connected, cited, ordered
from knowgate.model import Entity, Relation

_PARTS = Path(__file__).with_name("web")
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
"""In JSON these stand in strings only; so escaped, no text can end the script element or begin another."""


def page(entities: Sequence[Entity], relations: Sequence[Relation]) -> str:
    style = _part("page.css")
    script = "\n".join(('"use strict";', _part("layout.js"), _part("page.js")))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    graph = _data(entities, relations).translate(_ESCAPED)
    filling = {"policy": policy, "style": style, "script": script, "graph": graph}
    # In one go: whatever looks like a place to fill in the data stays as it is.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: filling[match[1]], _part("page.html"))


def _data(entities: Sequence[Entity], relations: Sequence[Relation]) -> str:
    """The best connected first: the page begins with them."""
    entities, relations = ordered(entities, relations)
    first = best_connected(entities, relations)
    places = {entity.name: index for index, entity in enumerate(first)}
    types = sorted({entity.type for entity in first})
    kinds = {type: index for index, type in enumerate(types)}
    passages: dict[str, int] = {}
    rows = [
        (
            places[each.source],
            places[each.target],
            each.type,
            each.description,
            [passages.setdefault(cited(passage), len(passages)) for passage in each.passages],
        )
        for each in relations
    ]
    data = {
        "types": types,
        "entities": [
            (each.name, kinds[each.type], each.description, each.aliases, each.documents, each.mentions)
            for each in first
        ],
        "relations": rows,
        "passages": list(passages),
    }
    return orjson.dumps(data).decode()


def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

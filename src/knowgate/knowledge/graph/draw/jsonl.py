"""JSON lines, sorted: one line changes where one thing changes, so the file can be kept in git."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import orjson

from knowgate.knowledge.graph.draw.parts import ordered
from knowgate.model import Entity, Relation


def jsonl(entities: Sequence[Entity], relations: Sequence[Relation]) -> str:
    entities, relations = ordered(entities, relations)
    lines = [
        *({"kind": "entity", **asdict(entity)} for entity in entities),
        *({"kind": "relation", **asdict(relation)} for relation in relations),
    ]
    options = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return b"".join(orjson.dumps(line, option=options) for line in lines).decode()

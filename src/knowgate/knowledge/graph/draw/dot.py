"""DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Sequence

from knowgate.knowledge.graph.draw.parts import brief, ordered, tints
from knowgate.model import Entity, Relation

_LONGEST = 80


def dot(entities: Sequence[Entity], relations: Sequence[Relation]) -> str:
    entities, relations = ordered(entities, relations)
    ids = {entity.name: f"n{index}" for index, entity in enumerate(entities)}
    colours = tints(entities)
    lines = [
        "digraph knowgate {",
        '  graph [rankdir=LR, charset="UTF-8"];',
        '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
    ]
    for entity in entities:
        label = f"{_text(brief(entity.name, _LONGEST))}\\n{_text(brief(entity.type, _LONGEST))}"
        about = _text(brief(entity.description or entity.name, 300))
        lines.append(f'  {ids[entity.name]} [label="{label}", tooltip="{about}", fillcolor="{colours[entity.type]}"];')
    for relation in relations:
        label, about = (_text(brief(text, 300)) for text in (relation.type, relation.description or relation.type))
        ends = f"{ids[relation.source]} -> {ids[relation.target]}"
        lines.append(f'  {ends} [label="{label}", tooltip="{about}"];')
    return "\n".join([*lines, "}", ""])


def _text(text: str) -> str:
    """Between quotes a backslash starts an escape, and `&` an HTML character."""
    return text.replace("\x00", "").replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')

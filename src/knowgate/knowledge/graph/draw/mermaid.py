"""A Mermaid flowchart, to paste into Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from knowgate.knowledge.graph.draw.parts import best_connected, brief, ordered, tints
from knowgate.model import Entity, Relation

# Mermaid refuses more than 500 arrows or 50,000 characters, and nobody can read that many.
MOST_ENTITIES = 150
MOST_RELATIONS = 300
_LONGEST_NAME = 60
_LONGEST_TYPE = 30
_ESCAPED = {ord(char): f"#{ord(char)};" for char in "#\"<>&`'\\:;%{}[]()|"}


def mermaid(entities: Sequence[Entity], relations: Sequence[Relation]) -> str:
    """The best connected entities and the surest relations; what was left out is said in the picture."""
    entities, relations = ordered(entities, relations)
    shown = sorted(best_connected(entities, relations)[:MOST_ENTITIES], key=lambda entity: entity.name)
    ids = {entity.name: f"n{index}" for index, entity in enumerate(shown)}
    between = [each for each in relations if each.source in ids and each.target in ids]
    surest = ordered(shown, sorted(between, key=lambda each: -each.confidence)[:MOST_RELATIONS])[1]
    colours = tints(shown)
    classes = {type: f"t{index}" for index, type in enumerate(colours)}
    lines = ["flowchart LR"]
    lines += [f'  {ids[entity.name]}["{_label(entity)}"]:::{classes[entity.type]}' for entity in shown]
    lines += [f'  {ids[each.source]} -->|"{_text(each.type, _LONGEST_TYPE)}"| {ids[each.target]}' for each in surest]
    lines += [f"  classDef {classes[type]} fill:{colour},stroke:#555,color:#111" for type, colour in colours.items()]
    if left_out := _left_out(len(entities) - len(shown), len(relations) - len(surest)):
        lines.append(f'  rest["{left_out}"]')
    return "\n".join(lines) + "\n"


def _left_out(entities: int, relations: int) -> str:
    parts = [f"{count} more {word}" for count, word in ((entities, "entities"), (relations, "relations")) if count]
    return f"not shown: {' and '.join(parts)}" if parts else ""


def _label(entity: Entity) -> str:
    return f"{_text(entity.name, _LONGEST_NAME)}<br>{_text(entity.type, _LONGEST_TYPE)}"


def _text(text: str, most: int) -> str:
    return brief(text, most).translate(_ESCAPED)

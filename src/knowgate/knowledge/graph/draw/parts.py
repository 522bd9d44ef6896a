"""What the forms have in common: the order of things, which come first when not all fit, and colours by type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from knowgate.model import Entity, Passage, Relation

_TINTS = ("#cfe3f5", "#f8dcc4", "#d3ead0", "#f5d0d6", "#e0d6f0", "#f4ebb8", "#cdeae6", "#ecdccb", "#f0d3ea", "#dfe3e6")
"""Light enough for black letters."""


def ordered(entities: Iterable[Entity], relations: Iterable[Relation]) -> tuple[list[Entity], list[Relation]]:
    """Both by name. Relations of what is not among the entities are left out: they would hang in the air."""
    named = {entity.name: entity for entity in entities}
    kept = [relation for relation in relations if relation.source in named and relation.target in named]
    return sorted(named.values(), key=lambda entity: entity.name), sorted(kept, key=_triple)


def best_connected(entities: Sequence[Entity], relations: Sequence[Relation]) -> list[Entity]:
    degree = Counter(name for relation in relations for name in (relation.source, relation.target))
    return sorted(entities, key=lambda entity: (-degree[entity.name], -entity.mentions, entity.name))


def tints(entities: Iterable[Entity]) -> dict[str, str]:
    """A colour for each type; beyond ten types they repeat."""
    types = sorted({entity.type for entity in entities})
    return {type: _TINTS[index % len(_TINTS)] for index, type in enumerate(types)}


def cited(passage: Passage) -> str:
    """A passage in one line, the document last because it tells most: `Refunds > Limits, page 3, policy.pdf`."""
    page = f"page {passage.page}" if passage.page else ""
    return ", ".join(part for part in (" > ".join(passage.headings), page, passage.document) if part)


def brief(text: str, most: int) -> str:
    """In one line, and not too long for a picture."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _triple(relation: Relation) -> tuple[str, str, str]:
    return relation.source, relation.type, relation.target

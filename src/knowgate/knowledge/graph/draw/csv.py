"""Two tables for a spreadsheet: entities and relations."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from knowgate.knowledge.graph.draw.parts import cited, ordered
from knowgate.model import Entity, Relation

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

_Cell = str | int | float


def tables(entities: Sequence[Entity], relations: Sequence[Relation]) -> dict[str, str]:
    """By file name; the lines end as spreadsheets expect, so write them unchanged."""
    entities, relations = ordered(entities, relations)
    return {"entities.csv": _entities(entities), "relations.csv": _relations(relations)}


def _entities(entities: Iterable[Entity]) -> str:
    head = ("name", "type", "description", "aliases", "documents", "mentions", "confidence")
    return _table(
        head,
        (
            (
                entity.name,
                entity.type,
                entity.description,
                "; ".join(entity.aliases),
                entity.documents,
                entity.mentions,
                entity.confidence,
            )
            for entity in entities
        ),
    )


def _relations(relations: Iterable[Relation]) -> str:
    head = ("source", "type", "target", "description", "confidence", "passages")
    return _table(
        head,
        (
            (
                relation.source,
                relation.type,
                relation.target,
                relation.description,
                relation.confidence,
                "; ".join(map(cited, relation.passages)),
            )
            for relation in relations
        ),
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[_Cell]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def _harmless(cell: _Cell) -> _Cell:
    """A spreadsheet takes text that begins like a formula for one, and runs it."""
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA) else cell

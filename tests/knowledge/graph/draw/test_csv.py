from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.graph.draw.csv import tables
from knowgate.model import Entity, Relation


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_two_tables(entities: list[Entity], relations: list[Relation]):
    written = tables(entities, relations)
    assert list(written) == ["entities.csv", "relations.csv"]
    orders = next(row for row in rows(written["entities.csv"]) if row["name"] == "orders")
    assert orders == {
        "name": "orders",
        "type": "SERVICE",
        "description": "Takes orders.",
        "aliases": "order-service",
        "documents": "2",
        "mentions": "5",
        "confidence": "0.9",
    }
    uses = next(row for row in rows(written["relations.csv"]) if row["type"] == "USES")
    assert (uses["source"], uses["target"]) == ("orders", "order-db")
    assert uses["passages"] == "Orders > Flow, page 3, guides/orders.md"


def test_a_formula_stays_text(entities: list[Entity], relations: list[Relation]):
    found = rows(tables(entities, relations)["entities.csv"])
    assert {"'=HYPERLINK(0)", "'+1"} <= {cell for row in found for cell in row.values()}


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_any_text_is_one_cell(text: str):
    (row,) = rows(tables([Entity(text, "T")], [])["entities.csv"])
    assert row["name"] in (text, f"'{text}")
    assert not row["name"].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))

from __future__ import annotations

from knowgate.knowledge.graph.draw.parts import best_connected, brief, cited, ordered, tints
from knowgate.model import Entity, Passage, Relation


def test_the_order_does_not_depend_on_what_came_first(entities: list[Entity], relations: list[Relation]):
    assert ordered(entities, relations) == ordered(entities[::-1], relations[::-1])


def test_relations_that_hang_in_the_air_are_left_out(entities: list[Entity], relations: list[Relation]):
    assert len(ordered(entities, relations)[1]) == 2


def test_the_best_connected_come_first(entities: list[Entity], relations: list[Relation]):
    first, second, *_ = best_connected(*ordered(entities, relations))
    assert (first.name, second.name) == ("orders", "order-db")


def test_every_type_has_a_colour():
    many = [Entity(str(number), f"T{number:02}") for number in range(12)]
    assert len(tints(many)) == 12
    assert tints(many)["T00"] == tints(many)["T10"]


def test_a_passage_in_one_line():
    assert cited(Passage("c", "d", "a.pdf", ("Refunds", "Limits"), 3)) == "Refunds > Limits, page 3, a.pdf"
    assert cited(Passage("c", "d", "a.md")) == "a.md"


def test_long_texts_are_cut():
    assert brief("one\n two", 20) == "one two"
    assert brief("abcdefgh", 5) == "abcd…"

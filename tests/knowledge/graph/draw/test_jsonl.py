from __future__ import annotations

import json

from knowgate.knowledge.graph.draw.jsonl import jsonl
from knowgate.model import Entity, Relation


def test_the_same_graph_gives_the_same_text(entities: list[Entity], relations: list[Relation]):
    assert jsonl(entities, relations) == jsonl(entities[::-1], relations[::-1])


def test_one_thing_is_one_line(entities: list[Entity], relations: list[Relation]):
    before = jsonl(entities, relations).splitlines(keepends=False)
    after = jsonl([*entities, Entity("mail", "SERVICE")], relations).splitlines(keepends=False)
    assert len(set(after) - set(before)) == 1
    assert not set(before) - set(after)


def test_everything_is_in_it(entities: list[Entity], relations: list[Relation]):
    lines = [json.loads(line) for line in jsonl(entities, relations).split("\n") if line]
    assert [line["kind"] for line in lines] == ["entity"] * 4 + ["relation"] * 2
    uses = next(line for line in lines if line.get("type") == "USES")
    assert uses["passages"][0]["document"] == "guides/orders.md"
    assert list(uses) == sorted(uses)

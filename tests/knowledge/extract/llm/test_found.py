"""Whatever a model says, as much as possible is made of it."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.extract.llm.found import Found, FoundEntity, FoundRelation, read_answer, read_found

ANSWER = {
    "entities": [
        {"name": "Ledger", "type": "SERVICE", "description": "Keeps the books.", "fields": {"tier": "gold"}},
        {"name": "Quill", "type": "SERVICE"},
    ],
    "relations": [{"source": "Ledger", "target": "Quill", "type": "USES", "keywords": ["ink", 3]}],
}
WHOLE = Found(
    (FoundEntity("Ledger", "SERVICE", "Keeps the books.", {"tier": "gold"}), FoundEntity("Quill", "SERVICE")),
    (FoundRelation("Ledger", "Quill", "USES", "", ("ink",)),),
)


@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```", "Here you are:\n{}\nI hope that helps {{}}.", "  {}"])
def test_the_object_is_found_in_what_stands_around_it(form: str) -> None:
    assert read_answer(form.replace("{}", json.dumps(ANSWER), 1)) == WHOLE


@pytest.mark.parametrize(
    ("answer", "entities", "relations"),
    [
        ({}, 0, 0),
        ({"entities": None}, 0, 0),
        ({"entities": [{"name": "A"}]}, 1, 0),
        ({"relations": [{"source": "A", "target": "B"}]}, 0, 1),
        ({"entities": ["A", {"name": ""}, {"name": 7}, {"type": "X"}, {"name": "B", "fields": []}]}, 1, 0),
        ({"entities": [{"name": "A"}, {"name": "a"}]}, 1, 0),
        ({"entities": [{"name": "A" * 500}], "relations": [{"source": "A"}, {"target": "B"}]}, 0, 0),
        ({"entities": [{"name": f"N{n}x"} for n in range(1000)]}, 200, 0),
    ],
)
def test_what_is_missing_or_of_another_kind_is_passed_over(answer: object, entities: int, relations: int) -> None:
    found = read_answer(json.dumps(answer))
    assert found is not None
    assert (len(found.entities), len(found.relations)) == (entities, relations)


@pytest.mark.parametrize("text", ["", "I cannot do that.", "[1, 2]", "{nonsense"])
def test_no_object_is_no_answer(text: str) -> None:
    assert read_answer(text) is None


@given(st.integers(1, len(json.dumps(ANSWER))))
def test_an_answer_that_breaks_off_counts_as_far_as_it_goes(end: int) -> None:
    found = read_answer(json.dumps(ANSWER)[:end])
    assert found is not None
    assert len(found.entities) <= 2
    names = [each.name for each in found.entities]
    assert all("Ledger".startswith(name) or "Quill".startswith(name) for name in names)


WORDS = st.sampled_from(["entities", "relations", "name", "source", "target", "type", "fields", "keywords", "cut"])
VALUES = st.recursive(
    st.none() | st.text() | st.integers() | st.booleans(), lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner)
)


@given(st.text() | VALUES.map(json.dumps))
def test_nothing_that_is_said_does_harm_and_what_is_kept_is_read_again(text: str) -> None:
    found = read_answer(text)
    if found:
        assert read_found(json.loads(json.dumps(asdict(found)))) == found


def test_another_pass_adds_only_what_is_new() -> None:
    more = Found(
        (FoundEntity("the ledger service"), FoundEntity("ledger service", "DATABASE"), FoundEntity("Ink")),
        (FoundRelation("ledger", "quill", "uses"), FoundRelation("Quill", "Ink", "USES")),
        cut=True,
    )
    together = WHOLE.with_new(more)
    assert [each.name for each in together.entities] == ["Ledger", "Quill", "the ledger service", "Ink"]
    assert [(each.source, each.target) for each in together.relations] == [("Ledger", "Quill"), ("Quill", "Ink")]
    assert together.cut

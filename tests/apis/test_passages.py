from __future__ import annotations

from dataclasses import replace

from tests.apis.samples import operation

from knowgate.apis.passages import passage_of


def test_a_passage_says_what_an_operation_does():
    told = replace(operation(), summary="List things", description="All of them.", tags=("things", "lists"))
    passage = passage_of(told)
    assert passage.heading == "GET /things"
    assert passage.text == "List things\nAll of them.\nOperation: things\nTags: things, lists"


def test_a_long_description_is_cut_between_words():
    text = passage_of(replace(operation(), description="word " * 1000)).text
    assert len(text) < 400
    assert "word …\n" in text

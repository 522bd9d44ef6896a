"""Passages keep their promises whatever the document looks like."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate.knowledge.chunk import chunk, passage
from knowgate.model import Block, BlockKind, Chunk, Parsed

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure."""

LIMIT = 50


def count(text: str) -> int:
    """Words, and each Chinese or Thai character."""
    return len(re.findall(r"[\u0e00-\u0e7f\u3000-\u9fff]|[^\s\u0e00-\u0e7f\u3000-\u9fff]+", text))


def parsed(*parts: tuple[BlockKind, int, str] | tuple[BlockKind, int, str, int]) -> Parsed:
    text, blocks = "", list[Block]()
    for kind, level, content, *page in parts:
        if text:
            text += "\n\n"
        blocks.append(Block(kind, len(text), len(text) + len(content), level, page[0] if page else None))
        text += content
    return Parsed(text, tuple(blocks), "text", "text/plain")


def chunks_of(document: Parsed, title: str = "Guide", limit: int = LIMIT) -> list[Chunk]:
    return chunk(document, "doc", title, count, limit)


def words(number: int, word: str = "word") -> str:
    return " ".join([word] * number)


def sentences(number: int, length: int = 8) -> str:
    return " ".join(f"Sentence {index} {words(length - 3)} ends." for index in range(number))


# --- whatever the document looks like -----------------------------------------------------------------------------

_sentence = st.builds(
    lambda stems, end: " ".join(stems) + end,
    st.lists(st.sampled_from(["alpha", "beta", "naïve", "übung", "слово", "x" * 300, "e.g."]), min_size=1, max_size=12),
    st.sampled_from([".", "!", "?", "…", ""]),
)
_prose = st.one_of(
    st.lists(_sentence, min_size=1, max_size=15).map(" ".join),
    st.lists(
        st.sampled_from(["今天天气很好。", "我们去公园散步！", "สวัสดีครับ", "どうですか？"]), min_size=1, max_size=40
    ).map("".join),
    st.text(min_size=1, max_size=600),
    st.integers(1, 3000).map(lambda number: "a" * number),
)
_code = st.lists(st.sampled_from(["def f():", "    return 1", "", "x = " + words(30)]), min_size=1, max_size=60).map(
    "\n".join
)
_table = st.lists(st.sampled_from(["| a | b |", "| long cell " + words(6) + " |"]), min_size=1, max_size=60).map(
    "\n".join
)
_part = st.one_of(
    st.tuples(
        st.just("heading"), st.integers(1, 6), st.one_of(_sentence, st.text(min_size=1, max_size=30)), st.integers(1, 9)
    ),
    st.tuples(st.just("text"), st.just(0), _prose, st.integers(1, 9)),
    st.tuples(st.just("code"), st.just(0), _code, st.integers(1, 9)),
    st.tuples(st.just("table"), st.just(0), _table, st.integers(1, 9)),
)
_documents = st.lists(_part, max_size=12).map(lambda parts: parsed(*parts))


@unhurried
@given(_documents, st.text(max_size=20))
def test_passages_are_ordered_disjoint_stretches_that_cover_everything(document: Parsed, title: str) -> None:
    chunks = chunks_of(document, title)
    covered = [False] * len(document.text)
    end = 0
    for number, one in enumerate(chunks):
        assert (one.id, one.document_id, one.ordinal) == (f"doc:{number}", "doc", number)
        assert one.text == document.text[one.start : one.end]
        assert one.text and one.text == one.text.strip()
        assert end <= one.start
        end = one.end
        covered[one.start : one.end] = [True] * (one.end - one.start)
    assert not [char for char, seen in zip(document.text, covered, strict=True) if not seen and not char.isspace()]


@unhurried
@given(_documents, st.integers(8, 120))
def test_passages_stay_within_their_size(document: Parsed, limit: int) -> None:
    for one in chunks_of(document, limit=limit):
        assert one.tokens <= limit
        assert len("".join(one.text.split())) <= 40 * one.tokens


@unhurried
@given(_documents, st.text(max_size=20))
def test_headings_lead_from_the_title_without_repeating_it(document: Parsed, title: str) -> None:
    top = " ".join(title.split())
    names = {" ".join(document.text[b.start : b.end].split()) for b in document.blocks if b.kind == "heading"}
    for one in chunks_of(document, title):
        assert all(one.headings)
        below = one.headings[1:] if top else one.headings
        assert not top or one.headings[0] == top
        assert not top or top.casefold() not in [name.casefold() for name in below]
        assert {name for name in below if len(name) <= 200} <= names


@unhurried
@given(_documents)
def test_a_passage_is_on_one_page_but_for_headings(document: Parsed) -> None:
    for one in chunks_of(document):
        told = (block for block in document.blocks if document.text[block.start : block.end].strip())
        inside = [block for block in told if block.start < one.end and block.end > one.start]
        pages = {block.page for block in inside if block.kind != "heading"} or {inside[0].page}
        assert pages == {one.page}


@unhurried
@given(_documents)
def test_a_heading_of_the_same_or_a_higher_level_is_crossed_only_between_tiny_sections(document: Parsed) -> None:
    edges = [b.start for b in document.blocks if b.kind == "heading"] + [len(document.text)]
    for one in chunks_of(document):
        inside = [b for b in document.blocks if b.kind == "heading" and one.start <= b.start < one.end]
        for before, after in pairwise(inside):
            between = document.text[before.start : after.start]
            section = document.text[after.start : next(edge for edge in edges if edge > after.start)]
            if after.level <= before.level:
                assert count(between) <= LIMIT // 4
                assert count(section) <= LIMIT // 4


@unhurried
@given(_documents)
def test_what_is_embedded_ends_with_the_text(document: Parsed) -> None:
    for one in chunks_of(document):
        embedded = passage(one)
        assert embedded.endswith(one.text)
        head = embedded[: len(embedded) - len(one.text)]
        assert head == "" or (head.endswith("\n") and one.headings[0] == "Guide" and head.startswith("Guide"))


# --- what a reader would expect -----------------------------------------------------------------------------------


def test_paragraphs_are_packed_up_to_the_target() -> None:
    document = parsed(*[("text", 0, words(15))] * 5)
    assert [one.tokens for one in chunks_of(document)] == [30, 30, 15]


def test_the_heading_is_in_the_first_passage_of_its_section_and_in_the_path_of_all() -> None:
    document = parsed(("heading", 1, "Refunds"), ("text", 0, words(35)), ("text", 0, words(35)))
    first, second = chunks_of(document)
    assert first.text.startswith("Refunds\n\n") and not second.text.startswith("Refunds")
    assert first.headings == second.headings == ("Guide", "Refunds")
    assert passage(first) == "Guide\n" + first.text
    assert passage(second) == "Guide > Refunds\n" + second.text


def test_sections_of_some_size_stay_apart() -> None:
    document = parsed(*[("heading", 2, "One"), ("text", 0, words(12)), ("heading", 2, "Two"), ("text", 0, words(12))])
    assert [one.headings for one in chunks_of(document)] == [("Guide", "One"), ("Guide", "Two")]


def test_a_tiny_section_does_not_join_a_larger_one() -> None:
    document = parsed(*[("heading", 2, "One"), ("text", 0, words(20)), ("heading", 2, "Two"), ("text", 0, words(3))])
    assert [one.headings[-1] for one in chunks_of(document)] == ["One", "Two"]


def test_tiny_siblings_share_a_passage_under_their_parent() -> None:
    document = parsed(
        ("heading", 1, "Questions"),
        *[part for name in "ABC" for part in (("heading", 2, name), ("text", 0, words(5)))],
        ("heading", 1, "Next"),
        ("text", 0, words(5)),
    )
    first, second = chunks_of(document)
    assert first.headings == ("Guide", "Questions")
    assert passage(first) == "Guide\n" + first.text
    assert second.headings == ("Guide", "Next")


def test_headings_with_nothing_under_them_go_with_what_follows() -> None:
    document = parsed(
        ("heading", 1, "Guide"), ("heading", 2, "Install"), ("heading", 3, "Linux"), ("text", 0, words(30))
    )
    (only,) = chunks_of(document)
    assert only.headings == ("Guide", "Install", "Linux")
    assert passage(only) == only.text == document.text


def test_a_table_that_fits_is_whole_with_its_heading_and_introduction() -> None:
    table = "\n".join(["| a b c d |"] * 6)
    document = parsed(("heading", 1, "Prices"), ("text", 0, words(5)), ("table", 0, table), ("text", 0, words(20)))
    first, second = chunks_of(document)
    assert first.text == f"Prices\n\n{words(5)}\n\n{table}"
    assert second.text == words(20)


def test_a_long_table_is_split_between_rows() -> None:
    rows = [f"| row{number} a b c |" for number in range(40)]
    chunks = chunks_of(parsed(("table", 0, "\n".join(rows))))
    assert len(chunks) > 1
    assert [row for one in chunks for row in one.text.split("\n")] == rows


@pytest.mark.parametrize("stop", [". ", "。", "！", "? ", "۔ ", "। "])
def test_a_long_paragraph_is_split_between_sentences(stop: str) -> None:
    unit = "Eins zwei drei vier fünf sechs" if stop.isascii() else "一二三四五六七八"
    chunks = chunks_of(parsed(("text", 0, (unit + stop) * 30)))
    assert len(chunks) > 1
    assert all(one.text.startswith(unit) and one.text.endswith(stop.strip()) for one in chunks)


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    first, second = f"{words(30).capitalize()}.", f"Word {words(8)} e.g. {words(20)}."
    assert [one.text for one in chunks_of(parsed(("text", 0, f"{first} {second}")))] == [first, second]


def test_code_is_split_at_blank_lines_before_lines() -> None:
    functions = ["def f():\n" + "\n".join(f"    line {n}" for n in range(12)) for _ in range(4)]
    chunks = chunks_of(parsed(("code", 0, "\n\n".join(functions))))
    assert [one.text for one in chunks] == functions


def test_a_string_without_spaces_is_not_one_token() -> None:
    chunks = chunks_of(parsed(("text", 0, "QUJD" * 5000)))
    assert len(chunks) > 10
    assert "".join(one.text for one in chunks) == "QUJD" * 5000


def test_a_tiny_tail_joins_the_passage_before_it() -> None:
    (only,) = chunks_of(parsed(("heading", 1, "A"), ("text", 0, words(38)), ("text", 0, words(5))))
    assert only.tokens == 44


def test_a_paragraph_styled_as_heading_is_cut_in_the_path() -> None:
    (only,) = chunks_of(parsed(("heading", 1, words(45)), ("text", 0, words(5))), limit=100)
    assert len(only.headings[-1]) == 200
    assert only.headings[-1].endswith("…")


def test_an_empty_document_has_no_passages() -> None:
    assert chunks_of(Parsed("", (), "text", "text/plain")) == []


# --- no text takes long -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "heading"])
@pytest.mark.parametrize(
    "run",
    [".", "!?", "." + '"' * 9, "…)", "\n", " ", "\n ", "\n-", "\n1", ". a", ".\n\na", "。", "。」", "\t\n"],
    ids=repr,
)
def test_endless_marks_and_spaces_are_cut_in_linear_time(kind: BlockKind, run: str) -> None:
    text = "a " + run * (100_000 // len(run)) + " b"
    pieces = chunks_of(parsed((kind, 1, text), ("text", 0, "end")), limit=LIMIT)
    assert pieces[-1].text.endswith("end")


@pytest.mark.parametrize("space", [" ", "  ", "\n", "\n  "], ids=repr)
def test_a_small_letter_after_any_space_shows_an_abbreviation(space: str) -> None:
    first, second = f"{words(13)} end.", f"W{words(25)} e.g.{space}{words(11)} end."
    found = chunks_of(parsed(("text", 0, f"{first} {second}")))
    assert [each.text for each in found] == [first, second]


def test_a_passage_stays_on_its_page_and_a_heading_goes_with_its_text() -> None:
    document = parsed(
        ("text", 0, words(5), 1), ("text", 0, words(6), 2), ("heading", 2, "Next", 2), ("text", 0, words(7), 3)
    )
    assert [one.page for one in chunks_of(document)] == [1, 2, 3]
    assert chunks_of(document)[-1].text == f"Next\n\n{words(7)}"

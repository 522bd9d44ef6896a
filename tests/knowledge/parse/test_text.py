from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.text import read


def shown(text: str) -> list[tuple[str, int, str]]:
    parsed = read(text.encode(), "a.txt", ParseOptions())
    return [(each.kind, each.level, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_blank_lines_part_paragraphs():
    assert shown("one\ntwo\n\n  three \n\n\n") == [("text", 0, "one\ntwo"), ("text", 0, "three")]


def test_underlined_lines_are_headings_by_order_of_their_style():
    assert shown("Guide\n=====\n\nIntro.\n\nSetup\n-----\nRun it.\n") == [
        ("heading", 1, "Guide"),
        ("text", 0, "Intro."),
        ("heading", 2, "Setup"),
        ("text", 0, "Run it."),
    ]


def test_numbered_lines_that_stand_alone_are_headings():
    blocks = shown("1. Scope\n\nWhat it covers.\n\n1.1 Terms\n\nWords.\n\n2. Rules\n\nDo this.\n")
    assert [each[:2] for each in blocks if each[0] == "heading"] == [("heading", 1), ("heading", 2), ("heading", 1)]


def test_a_numbered_list_stays_a_list():
    assert {kind for kind, _, _ in shown("1. Apples\n\n2. Pears\n\n3. Plums\n")} == {"text"}


def test_a_rule_under_a_paragraph_is_no_heading():
    assert shown("A long sentence about nothing at all, going on.\n---\n\nx") == [
        ("text", 0, "A long sentence about nothing at all, going on.\n---"),
        ("text", 0, "x"),
    ]


def test_form_feeds_count_pages():
    parsed = read(b"first\n\n\fsecond\n\n\f\n\nthird", "a.txt", ParseOptions())
    assert [each.page for each in parsed.blocks] == [1, 2, 3]

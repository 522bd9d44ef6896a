from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.knowledge.parse.markdown import front_matter, markdown_blocks, read
from knowgate.knowledge.parse.reader import ParseOptions


def shown(text: str) -> list[tuple[str, int, str]]:
    return [(each.kind, each.level, text[each.start : each.end]) for each in markdown_blocks(text)]


def test_headings_of_both_kinds():
    assert shown("# One #\n\nTwo\n===\n\nThree\n---\n### Four {#four}\n#five\n") == [
        ("heading", 1, "One"),
        ("heading", 1, "Two"),
        ("heading", 2, "Three"),
        ("heading", 3, "Four"),
        ("text", 0, "#five"),
    ]


def test_rules_and_lists_are_not_headings():
    assert [kind for kind, _, _ in shown("a\nb\n---\n\n- x\n---\n\n***\n")] == ["text", "text"]


def test_fences_hide_what_looks_like_markdown():
    text = "```mermaid\n# no\n\n| a |\n```\nafter\n\n~~~\n```\n~~~\n"
    assert shown(text) == [
        ("code", 0, "```mermaid\n# no\n\n| a |\n```"),
        ("text", 0, "after"),
        ("code", 0, "~~~\n```\n~~~"),
    ]


def test_a_fence_that_never_ends_takes_the_rest():
    assert shown("x\n\n```\n# a\n\nb") == [("text", 0, "x"), ("code", 0, "```\n# a\n\nb")]


def test_indented_code_but_not_in_lists():
    assert [kind for kind, _, _ in shown("text\n\n    code\n\n    more\n")] == ["text", "code"]
    assert [kind for kind, _, _ in shown("- item\n\n    still the item\n")] == ["text", "text"]


def test_tables_are_one_block():
    table = "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |"
    assert shown(f"before\n\n{table}\n\nafter") == [("text", 0, "before"), ("table", 0, table), ("text", 0, "after")]
    assert shown("a | b\n--|--\n1 | 2") == [("table", 0, "a | b\n--|--\n1 | 2")]


def test_pipes_alone_make_no_table():
    assert shown("cat x | grep y\nls | wc\n") == [("text", 0, "cat x | grep y\nls | wc")]


def test_comments_are_no_content():
    assert shown("<!-- a\n# b\n-->\n\nc <!-- d --> e\n\n<!-- f --> g") == [
        ("text", 0, "c <!-- d --> e"),
        ("text", 0, "g"),
    ]


def test_headings_in_html_count():
    assert shown('<h1 align="center">Name</h1>\n\ntext') == [("heading", 1, "Name"), ("text", 0, "text")]


def test_front_matter_becomes_fields():
    parsed = read(
        b"---\ntitle: Refunds\ntags: [a, b]\ndraft: false\nnested: {x: 1}\n---\n# Heading\n", "a.md", ParseOptions()
    )
    assert parsed.title == "Refunds"
    assert parsed.fields == {"title": "Refunds", "tags": "a, b", "draft": False}
    assert [parsed.text[each.start : each.end] for each in parsed.blocks] == ["Heading"]


def test_toml_front_matter():
    fields, start = front_matter('+++\ntitle = "T"\ndate = 2024-01-02\n+++\nx')
    assert fields == {"title": "T", "date": "2024-01-02"}
    assert start == len('+++\ntitle = "T"\ndate = 2024-01-02\n+++\n')


def test_a_rule_at_the_start_is_no_front_matter():
    assert front_matter("---\nnot: [closed\n---\n") == ({}, 0)
    assert front_matter("---\njust text\n---\n") == ({}, 0)


def test_the_title_is_the_first_heading_without_its_markup():
    parsed = read(b"## Small\n\n# The **big** `one` of [us](x)\n", "a.md", ParseOptions())
    assert parsed.title == "The big one of us"


def test_a_file_of_front_matter_alone_is_still_read():
    assert read(b"---\na: 1\n---\n", "a.md", ParseOptions()).blocks


PIECES = ["# ", "a", "|", "\n", "\n\n", "```", "---", "    ", "- ", "> ", "<!--", "-->", "`", "~~~", "===", "\x1c"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_blocks_are_in_order_and_apart(text: str):
    last = 0
    for block in markdown_blocks(text):
        assert last <= block.start < block.end <= len(text)
        last = block.end

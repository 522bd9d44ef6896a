from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.rst import read


def shown(text: str) -> list[tuple[str, int, str]]:
    parsed = read(text.encode(), "a.rst", ParseOptions())
    assert parsed.text == text
    return [(each.kind, each.level, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_titles_take_their_level_from_the_order_of_styles():
    text = "=====\nTitle\n=====\n\nPart\n----\n\nSub\n~~~\n\nPart two\n--------\n\ntext\n"
    assert shown(text) == [
        ("heading", 1, "Title"),
        ("heading", 2, "Part"),
        ("heading", 3, "Sub"),
        ("heading", 2, "Part two"),
        ("text", 0, "text"),
    ]


def test_code_comments_and_notes():
    text = (
        "Like so::\n\n    x = 1\n\n    y\n\n.. code-block:: python\n\n   z\n\n"
        ".. a comment\n   goes on\n\n.. note:: Mind\n   this\n\nEnd\n"
    )
    assert shown(text) == [
        ("text", 0, "Like so::"),
        ("code", 0, "    x = 1\n\n    y"),
        ("code", 0, "   z"),
        ("text", 0, ".. note:: Mind\n   this"),
        ("text", 0, "End"),
    ]


def test_tables_stay_as_drawn():
    simple = "==== ====\na    b\n==== ====\n1    2\n==== ===="
    grid = "+--+--+\n|a |b |\n+--+--+"
    assert shown(f"{simple}\n\n{grid}\n\nx\n") == [("table", 0, simple), ("table", 0, grid), ("text", 0, "x")]


def test_fields_at_the_top():
    parsed = read(b"Title\n=====\n\n:Author: Ann\n:Date: 2024\n\ntext\n", "a.rst", ParseOptions())
    assert parsed.title == "Title"
    assert parsed.fields == {"author": "Ann", "date": "2024"}

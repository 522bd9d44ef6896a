from knowgate.knowledge.parse.asciidoc import read
from knowgate.knowledge.parse.reader import ParseOptions


def shown(text: str) -> list[tuple[str, int, str]]:
    parsed = read(text.encode(), "a.adoc", ParseOptions())
    return [(each.kind, each.level, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_sections_paragraphs_lists_and_listings():
    text = (
        "= Title\n:author: Ann\n\nIntro with https://x.example[a link] and <<ref,a reference>>.\n\n== Part\n\n"
        "* one\n* two\n\n[source,python]\n----\n== not a heading\n----\n\n// comment\n\n////\nhidden\n////\n\n"
        "NOTE: end\n"
    )
    assert shown(text) == [
        ("heading", 1, "Title"),
        ("text", 0, "Intro with a link and a reference."),
        ("heading", 2, "Part"),
        ("text", 0, "* one\n* two"),
        ("code", 0, "== not a heading"),
        ("text", 0, "NOTE: end"),
    ]
    parsed = read(text.encode(), "a.adoc", ParseOptions())
    assert parsed.title == "Title"
    assert parsed.fields == {"author": "Ann"}


def test_tables_in_rows_or_cell_by_cell():
    expected = ("table", 0, "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |")
    assert shown(".Caption\n|===\n|A |B\n\n|1 |2\n|3 |4\n|===\n") == [("text", 0, "Caption"), expected]
    assert shown("|===\n|A |B\n\n|1\n|2\n\n|3\n|4\n|===\n") == [expected]


def test_images_give_their_description():
    assert shown("image::a.png[A duck, 200]\n\nx") == [("text", 0, "A duck"), ("text", 0, "x")]

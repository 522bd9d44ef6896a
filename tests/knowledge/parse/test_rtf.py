from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.rtf import read


def shown(rtf: bytes) -> list[tuple[str, int, str]]:
    parsed = read(rtf, "a.rtf", ParseOptions())
    return [(each.kind, each.level, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_paragraphs_headings_and_symbols():
    rtf = (
        rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}\pard\outlinelevel0 Title\par"
        rb"\pard One\line two \ldblquote q\rdblquote\par {\b bold} \{x\}\par}"
    )
    assert shown(rtf) == [
        ("heading", 1, "Title"),
        ("text", 0, "One\ntwo “q”"),
        ("text", 0, "bold {x}"),
    ]


def test_characters_in_every_way_rtf_writes_them():
    assert shown(rb"{\rtf1\ansi\ansicpg1252 caf\'e9 \u8364?\uc2\u8364 ab!\par}") == [("text", 0, "café €€!")]
    assert shown(rb"{\rtf1{\fonttbl{\f0 A;}{\f1\fcharset204 B;}}\f1 \'cf\'f0\f0 \'e9}") == [("text", 0, "Прé")]
    assert shown(rb"{\rtf1\uc0 \u55357\u56832}") == [("text", 0, "\U0001f600")]
    assert shown(rb"{\rtf1\ansi\ansicpg932 \'93\'fa}") == [("text", 0, "日")]


def test_tables():
    rtf = rb"{\rtf1\trowd\pard\intbl A\cell B\cell\row\trowd\pard\intbl 1\par more\cell 2\cell\row\pard after\par}"
    assert shown(rtf) == [("table", 0, "| A | B |\n| --- | --- |\n| 1 more | 2 |"), ("text", 0, "after")]


def test_what_the_file_says_of_itself():
    parsed = read(rb"{\rtf1{\info{\title The plan}{\author Ann}{\creatim\yr2024}}Text\par}", "a.rtf", ParseOptions())
    assert parsed.title == "The plan"
    assert parsed.fields == {"title": "The plan", "author": "Ann"}
    assert parsed.text == "Text"


def test_pictures_and_binary_data_are_skipped():
    assert shown(b"{\\rtf1{\\pict 0102ff}{\\*\\x\\bin4 }}}}}a\\par}") == [("text", 0, "a")]

from knowgate.knowledge.parse.csv import read
from knowgate.knowledge.parse.reader import ParseOptions


def tables(data: bytes, name: str = "a.csv") -> list[str]:
    parsed = read(data, name, ParseOptions())
    assert {each.kind for each in parsed.blocks} <= {"table"}
    return [parsed.text[each.start : each.end] for each in parsed.blocks]


def test_delimiters_are_found():
    expected = ["| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |"]
    for delimiter in ",;\t|":
        assert tables("a,b\n1,x\n2,y\n".replace(",", delimiter).encode()) == expected


def test_quotes_hold_delimiters_newlines_and_pipes():
    assert tables(b'a,b\n"x, y","one\ntwo"\n"p|q",z\n') == [
        "| a | b |\n| --- | --- |\n| x, y | one two |\n| p\\|q | z |"
    ]


def test_every_group_of_rows_has_the_header():
    data = "name,note\n" + "".join(f"n{number},{'word ' * 10}\n" for number in range(200))
    groups = tables(data.encode())
    assert len(groups) > 5
    assert all(group.startswith("| name | note |\n") for group in groups)
    assert "".join(groups).count("| word") == 200


def test_numbers_at_the_top_are_no_header():
    assert tables(b"1,2\n3,4\n") == ["| column 1 | column 2 |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"]


def test_ragged_rows_are_kept():
    assert tables(b"a,b\n1\n2,3,4\n") == ["| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 2 | 3 | 4 |"]


def test_a_file_that_outgrows_the_limit_is_cut_with_a_warning():
    parsed = read(b"a,b\n" + b"1,2\n" * 5_000, "a.csv", ParseOptions(max_expanded_bytes=10_000))
    assert parsed.warnings
    assert len(parsed.text) < 11_000


def test_a_quote_that_never_ends_is_read_as_text():
    parsed = read(b'a,b\n"' + b"x" * 200_000, "a.csv", ParseOptions())
    assert parsed.type == "csv"
    assert {each.kind for each in parsed.blocks} == {"text"}


def test_tabs_make_it_tsv():
    assert read(b"a\tb\n1\t2\n", "a.txt", ParseOptions()).type == "tsv"

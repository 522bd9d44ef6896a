import datetime
import io
import struct
from collections.abc import Callable

import openpyxl
import pytest
from openpyxl.comments import Comment

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.sheets import cell_text, read
from knowgate.model import Parsed


def parsed(*sheets: tuple[str, list[list[object]]]) -> Parsed:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return read(out.getvalue(), "a.xlsx", ParseOptions())


def blocks(result: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, result.text[block.start : block.end]) for block in result.blocks]


def test_a_heading_per_sheet_and_readable_values():
    rows = [["Day", "Sold", "Share", "Open"], [datetime.date(2024, 2, 29), 3.0, 0.1 + 0.2, True]]
    result = parsed(("Sales", rows), ("Empty", []))
    assert blocks(result) == [
        ("heading", "Sales"),
        ("table", "| Day | Sold | Share | Open |\n| --- | --- | --- | --- |\n| 2024-02-29 | 3 | 0.3 | TRUE |"),
    ]
    assert result.type == "xlsx"


def test_an_empty_row_parts_tables_and_a_lone_cell_is_a_caption():
    rows = [["Ducks per year"], ["Year", "Ducks"], [2019, 120], [], ["Note"], [], ["a", "b"], ["c", "d"]]
    assert [kind for kind, _ in blocks(parsed(("One", rows)))] == ["heading", "text", "table", "text", "table"]


def test_long_tables_become_groups_that_repeat_the_header():
    rows = [["Number", "Words"], *([number, "word " * 20] for number in range(100))]
    tables = [text for kind, text in blocks(parsed(("Long", rows))) if kind == "table"]
    assert len(tables) > 5
    assert all(text.startswith("| Number | Words |\n| --- | --- |\n") for text in tables)
    assert all(len(text) < 800 for text in tables)
    numbers = [int(line.split("|")[1]) for text in tables for line in text.splitlines()[2:]]
    assert numbers == list(range(100))


def test_comments_on_cells_are_kept():
    book = openpyxl.Workbook()
    book.active.title = "Plan"
    book.active.append(["Due", "May"])
    book.active["B1"].comment = Comment("Better June", "Ada")
    out = io.BytesIO()
    book.save(out)
    assert "Comment on B1: Better June" in read(out.getvalue(), "a.xlsx", ParseOptions()).text


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (1.0, "1"),
        (1e21, "1e+21"),
        (False, "FALSE"),
        (datetime.datetime.fromisoformat("2024-01-02T03:04:05"), "2024-01-02 03:04:05"),
        (datetime.date(2024, 1, 2), "2024-01-02"),
        (datetime.time(9, 30), "09:30:00"),
        ("two\nlines", "two lines"),
    ],
)
def test_cell_text(cell: object, expected: str):
    assert cell_text(cell) == expected  # type: ignore[arg-type]


def test_a_workbook_that_unpacks_too_far():
    book = openpyxl.Workbook()
    book.active.append(["x" * 10_000])
    out = io.BytesIO()
    book.save(out)
    with pytest.raises(DocumentError) as caught:
        read(out.getvalue(), "a.xlsx", ParseOptions(max_expanded_bytes=5000))
    assert caught.value.code == "too_large"


def test_two_far_corners_are_refused_before_they_are_laid_out():
    book = openpyxl.Workbook()
    book.active["A1"] = "here"
    book.active["XFD1048576"] = "there"
    out = io.BytesIO()
    book.save(out)
    with pytest.raises(DocumentError) as caught:
        read(out.getvalue(), "a.xlsx", ParseOptions())
    assert caught.value.code == "too_large"
    assert "16384 columns" in caught.value.message


def test_a_long_and_wide_sheet_is_read():
    book = openpyxl.Workbook()
    book.active["A1"] = "here"
    book.active["AB12000"] = "there"
    out = io.BytesIO()
    book.save(out)
    assert "there" in read(out.getvalue(), "a.xlsx", ParseOptions()).text


def test_an_old_workbook_with_far_corners(compound_file: Callable[[dict[str, bytes]], bytes]):
    cells = b"".join(struct.pack("<HHHHHd", 0x0203, 14, place, place, 0, 1.0) for place in (0, 65535))
    with pytest.raises(DocumentError) as caught:
        read(compound_file({"Workbook": cells}), "a.xls", ParseOptions())
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), b"words"])
def test_what_is_no_workbook(data: bytes):
    with pytest.raises(DocumentError) as caught:
        read(data, "a.xls", ParseOptions())
    assert caught.value.code == "corrupt_document"

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.about import best_title, fields_of, finished, pdf_date
from knowgate.knowledge.parse.reader import TextBuilder


def test_fields_are_tidy_and_never_empty():
    assert fields_of(title="  A \n B ", author="", pages=3, subject=None) == {"title": "A B", "pages": 3}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("D:20241104100617+01'00'", "2024-11-04T10:06:17"),
        ("D:2024", "2024-01-01"),
        ("20240229", "2024-02-29"),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_pdf_dates(value: str, expected: str):
    assert pdf_date(value) == expected


@given(st.text())
def test_any_date_is_survived(value: str):
    assert isinstance(pdf_date(value), str)


def test_the_title_is_what_the_file_says_unless_it_says_nothing():
    out = TextBuilder()
    out.add("text", "Front matter")
    out.add("heading", "Second", level=2)
    out.add("heading", "First", level=1)
    text, blocks = out.build()
    assert best_title("Handbook", text, blocks) == "Handbook"
    for nothing in ("", "untitled", "Microsoft Word - draft7.doc", "report.docx"):
        assert best_title(nothing, text, blocks) == "First"
    assert best_title("", text[14:], blocks[:0]) == ""


def test_a_heading_at_the_very_start_is_the_title():
    out = TextBuilder()
    out.add("heading", "Start", level=2)
    out.add("heading", "Larger", level=1)
    text, blocks = out.build()
    assert best_title("", text, blocks) == "Start"


def test_no_text_is_an_error():
    with pytest.raises(DocumentError) as caught:
        finished(TextBuilder(), "docx")
    assert caught.value.code == "no_text"

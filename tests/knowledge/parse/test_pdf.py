import io

import pypdfium2
import pytest
from fpdf import FPDF
from fpdf.enums import AccessPermission
from PIL import Image

from knowgate.errors import DocumentError
from knowgate.knowledge.parse import pdf
from knowgate.knowledge.parse.pdf import read
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed

SENTENCE = (
    "The parcel leaves the warehouse on the day after the order was paid, and the customer is told by mail when it has "
    "been handed over to the carrier. "
)


class Handbook(FPDF):
    def header(self):
        self.set_font("helvetica", size=8)
        self.cell(0, 8, "Shop handbook, internal", align="R", new_x="LMARGIN", new_y="NEXT")

    def footer(self):
        self.set_y(-15)
        self.set_font("helvetica", size=8)
        self.cell(0, 8, f"Page {self.page_no()} of 11", align="C")

    def title_line(self, text: str, size: int):
        self.set_font("helvetica", style="B", size=size)
        self.cell(0, 12, text, new_x="LMARGIN", new_y="NEXT")
        self.set_font("helvetica", size=11)


def handbook() -> bytes:
    book = Handbook()
    book.set_title("Handbook of the shop")
    book.set_author("Ada Byron")
    for chapter in range(1, 12):
        book.add_page()
        book.title_line(f"{chapter} Chapter about parcels", 20)
        for section in (1, 2):
            book.title_line(f"{chapter}.{section} Section about returns", 14)
            book.multi_cell(0, 6, SENTENCE * 5, new_x="LMARGIN", new_y="NEXT")
            book.ln(4)
            book.multi_cell(0, 6, SENTENCE * 3, new_x="LMARGIN", new_y="NEXT")
            if section == 1 and chapter < 9:
                with book.table() as table:
                    for cells in (("Country", "Days"), ("Germany", "2"), ("New Zealand, both islands", "14")):
                        row = table.row()
                        for cell in cells:
                            row.cell(cell)
    return bytes(book.output())


def page(**options: object) -> FPDF:
    document = FPDF(**options)  # type: ignore[arg-type]
    document.add_page()
    document.set_font("helvetica", size=11)
    return document


def parsed(document: FPDF, options: ParseOptions | None = None) -> Parsed:
    return read(bytes(document.output()), "a.pdf", options or ParseOptions())


def blocks(result: Parsed, kind: str) -> list[str]:
    return [result.text[block.start : block.end] for block in result.blocks if block.kind == kind]


def picture(document: FPDF):
    document.image(Image.new("L", (50, 50), 128), x=20, y=40, w=50)


def test_a_handbook_keeps_headings_tables_pages_and_loses_what_repeats():
    result = read(handbook(), "a.pdf", ParseOptions())
    headings = [block for block in result.blocks if block.kind == "heading"]
    assert [(block.level, result.text[block.start : block.end]) for block in headings[:3]] == [
        (1, "1 Chapter about parcels"),
        (2, "1.1 Section about returns"),
        (2, "1.2 Section about returns"),
    ]
    assert len(headings) == 33
    tables = blocks(result, "table")
    assert len(tables) == 8
    assert tables[0] == "| Country | Days |\n| --- | --- |\n| Germany | 2 |\n| New Zealand, both islands | 14 |"
    assert blocks(result, "text")[:2] == [(SENTENCE * 5).strip(), (SENTENCE * 3).strip()]
    assert "internal" not in result.text
    assert "of 11" not in result.text
    assert {block.page for block in result.blocks} == set(range(1, 12))
    assert result.title == "Handbook of the shop"
    assert result.fields["author"] == "Ada Byron"
    assert result.fields["pages"] == 11
    assert not result.warnings


def test_the_outline_decides_levels_where_the_print_does_not():
    document = page()
    document.start_section("Opening", level=0)
    document.cell(0, 10, "Opening", new_x="LMARGIN", new_y="NEXT")
    document.multi_cell(0, 6, SENTENCE * 3, new_x="LMARGIN", new_y="NEXT")
    document.start_section("Inner part", level=1)
    document.cell(0, 10, "Inner part", new_x="LMARGIN", new_y="NEXT")
    document.multi_cell(0, 6, SENTENCE * 3)
    result = parsed(document)
    assert [(block.level, result.text[block.start : block.end]) for block in result.blocks if block.level] == [
        (1, "Opening"),
        (2, "Inner part"),
    ]


def test_words_parted_at_a_line_end_are_joined():
    document = page()
    for number, line in enumerate(("The customer writes about the ware-", "house and a well-known", "problem.")):
        document.text(20, 40 + 6 * number, line)
    document.text(20, 100, "Our warehouse is in Kiel, as is well-known.")
    assert "about the warehouse and a well-known problem." in " ".join(parsed(document).text.split())


@pytest.mark.parametrize("row_by_row", [False, True])
def test_two_columns_are_read_one_after_the_other(row_by_row: bool):
    document = page()
    places = [(side, row) for side in (0, 1) for row in range(12)]
    for side, row in sorted(places, key=lambda place: place[::-1]) if row_by_row else places:
        document.text(20 + 95 * side, 40 + 6 * row, f"{'left' if not side else 'right'} column has words {row}")
    words = parsed(document).text.split()
    assert [int(word) for word in words if word.isdigit()] == [*range(12), *range(12)]
    assert words.index("right") > len(words) - 1 - words[::-1].index("left")


def test_a_title_drawn_last_is_read_first():
    document = page()
    document.set_xy(20, 60)
    document.multi_cell(150, 6, SENTENCE * 4)
    document.set_font("helvetica", style="B", size=20)
    document.text(20, 40, "The beginning")
    assert blocks(parsed(document), "heading") == ["The beginning"]
    assert parsed(document).text.startswith("The beginning")


def test_program_text_keeps_its_lines():
    document = page()
    document.multi_cell(0, 6, SENTENCE * 3, new_x="LMARGIN", new_y="NEXT")
    document.set_font("courier", size=10)
    for line in ("def pay(order):", "    return order.total"):
        document.cell(0, 5, line, new_x="LMARGIN", new_y="NEXT")
    assert blocks(parsed(document), "code") == ["def pay(order):\n    return order.total"]


def test_a_frame_and_a_chart_grid_are_no_tables():
    document = page()
    document.rect(20, 40, 100, 50)
    for step in range(6):
        document.line(20, 100 + 10 * step, 120, 100 + 10 * step)
        document.line(20 + 20 * step, 100, 20 + 20 * step, 150)
    document.text(25, 50, "Words in a frame.")
    assert not blocks(parsed(document), "table")


def test_merged_cells_stay_in_one_cell():
    document = page()
    for y in (40, 50, 60):
        document.line(20, y, 140, y)
    for x in (20, 140):
        document.line(x, 40, x, 60)
    document.line(80, 50, 80, 60)
    document.text(70, 47, "Across both")
    document.text(25, 57, "left")
    document.text(85, 57, "right")
    assert blocks(parsed(document), "table") == ["| Across both |  |\n| --- | --- |\n| left | right |"]


def test_a_password():
    document = page()
    document.text(20, 20, "secret")
    document.set_encryption(owner_password="owner", user_password="user")
    with pytest.raises(DocumentError) as caught:
        parsed(document)
    assert caught.value.code == "encrypted_document"
    assert "password" in caught.value.fix


def test_a_password_only_for_changing_is_no_obstacle():
    document = page()
    document.text(20, 20, "open to read")
    document.set_encryption(owner_password="owner", permissions=AccessPermission.none())
    assert parsed(document).text == "open to read"


def test_pages_without_text_are_named_with_the_fix():
    document = page()
    document.text(20, 40, "Only here")
    for _ in range(2):
        document.add_page()
        picture(document)
    document.add_page()
    (warning,) = parsed(document).warnings
    assert "pages 2, 3." in warning
    assert 'pip install "knowgate[ocr]"' in warning
    assert "ocr = true" in warning


def test_nothing_but_pictures():
    document = page()
    picture(document)
    with pytest.raises(DocumentError) as caught:
        parsed(document)
    assert caught.value.code == "no_text"
    assert 'pip install "knowgate[ocr]"' in caught.value.fix


def test_too_many_pages_are_cut_with_a_warning(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)
    document = page()
    for number in range(4):
        document.text(20, 40, f"This is number {number}")
        document.add_page()
    result = parsed(document)
    assert "number 1" in result.text
    assert "number 2" not in result.text
    assert "first 2 of 5" in result.warnings[0]


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_page_stored_sideways_reads_the_same(angle: int):
    document = FPDF(format=(200, 200))
    document.add_page()
    document.set_font("helvetica", size=11)
    with document.rotation(angle, 100, 100):
        document.text(20, 60, "The first line of a paragraph that is full")
        document.text(20, 65, "and the second line of the same, too.")
        document.set_font("helvetica", style="B", size=20)
        document.text(20, 40, "Title")
    turned = pypdfium2.PdfDocument(bytes(document.output()))
    turned[0].set_rotation(angle)
    out = io.BytesIO()
    turned.save(out)
    turned.close()
    result = read(out.getvalue(), "a.pdf", ParseOptions())
    assert result.text == ("Title\n\nThe first line of a paragraph that is full and the second line of the same, too.")

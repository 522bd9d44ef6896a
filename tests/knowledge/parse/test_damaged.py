"""Whatever happens to a file on its way, a reader gives text or says in a typed error why not."""

import io
import zipfile
from collections.abc import Callable
from functools import cache

import docx
import openpyxl
import pptx
import pytest
from fpdf import FPDF
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate.errors import DocumentError
from knowgate.knowledge.parse import doc, epub, odf, pdf, ppt, sheets
from knowgate.knowledge.parse import docx as docx_reader
from knowgate.knowledge.parse import pptx as pptx_reader
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed

Reader = Callable[[bytes, str, ParseOptions], Parsed]
SMALL = ParseOptions(max_expanded_bytes=20_000_000)
ODT = b"""<d xmlns:text="t"><body><text><h outline-level="1">Head</h><p>Words</p><table><table-row><table-cell><p>a</p>
</table-cell><table-cell><p>b</p></table-cell></table-row></table></text></body></d>"""
EPUB = {
    "META-INF/container.xml": b'<container><rootfile full-path="b.opf"/></container>',
    "b.opf": b'<package><manifest><item id="a" href="a.html" media-type="text/html"/></manifest>'
    b'<spine><itemref idref="a"/></spine></package>',
    "a.html": b"<h1>Head</h1><p>Words</p>",
}


def saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def zipped(entries: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


@cache
def whole(kind: str) -> bytes:
    if kind == "docx":
        document = docx.Document()
        document.add_heading("Head", 1)
        document.add_paragraph("one", style="List Number")
        document.add_table(2, 2).cell(0, 0).text = "cell"
        return saved(document)
    if kind == "pptx":
        deck = pptx.Presentation()
        deck.slides.add_slide(deck.slide_layouts[1]).shapes.title.text = "Head"
        return saved(deck)
    if kind == "xlsx":
        book = openpyxl.Workbook()
        book.active.append(["a", 1, None])
        return saved(book)
    if kind == "pdf":
        paper = FPDF()
        paper.add_page()
        paper.set_font("helvetica", size=11)
        paper.multi_cell(0, 6, "Some words. " * 50)
        with paper.table() as table:
            table.row(("a", "b"))
            table.row(("c", "d"))
        return bytes(paper.output())
    return zipped({"content.xml": ODT} if kind == "odt" else EPUB)


@st.composite
def damage(draw: st.DrawFn, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw(st.integers(0, 8))):
        place = draw(st.integers(0, len(changed) - 1))
        changed[place : place + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
    return bytes(changed[: draw(st.integers(0, len(changed)))]) if draw(st.booleans()) else bytes(changed)


def check(reader: Reader, data: bytes):
    try:
        result = reader(data, "file", SMALL)
    except DocumentError as error:
        assert error.message
        return
    last = 0
    for block in result.blocks:
        assert last <= block.start < block.end <= len(result.text)
        last = block.end


ZIPPED = {
    "docx": docx_reader.read,
    "pptx": pptx_reader.read,
    "xlsx": sheets.read,
    "odt": odf.read,
    "epub": epub.read,
}


@pytest.mark.parametrize("kind", ZIPPED)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_archives(kind: str, data: st.DataObject):
    check(ZIPPED[kind], data.draw(damage(whole(kind))))


@pytest.mark.parametrize(
    ("kind", "part"), [("docx", "word/document.xml"), ("docx", "word/numbering.xml"), ("odt", "content.xml")]
)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_damaged_parts(kind: str, part: str, data: st.DataObject):
    with zipfile.ZipFile(io.BytesIO(whole(kind))) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries[part] = data.draw(damage(entries[part]))
    check(ZIPPED[kind], zipped(entries))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_pdf(data: st.DataObject):
    check(pdf.read, data.draw(damage(whole("pdf"))))


@pytest.mark.parametrize("reader", [doc.read, ppt.read, sheets.read])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_compound_files(
    reader: Reader, compound_file: Callable[[dict[str, bytes]], bytes], data: st.DataObject
):
    names = {doc.read: ("WordDocument", "1Table"), ppt.read: ("PowerPoint Document", "Current User")}
    streams = {name: data.draw(st.binary(max_size=600)) for name in names.get(reader, ("Workbook",))}
    check(reader, data.draw(damage(compound_file(streams))))


@pytest.mark.parametrize("reader", [*ZIPPED.values(), pdf.read, doc.read, ppt.read])
@given(st.binary(max_size=200))
def test_anything_else(reader: Reader, data: bytes):
    check(reader, data)

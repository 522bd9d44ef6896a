import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.docx import read
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed


def parsed(fill: Callable[[Document], object]) -> Parsed:
    document = docx.Document()
    fill(document)
    out = io.BytesIO()
    document.save(out)
    return read(out.getvalue(), "a.docx", ParseOptions())


def blocks(result: Parsed) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, result.text[block.start : block.end]) for block in result.blocks]


def test_headings_paragraphs_and_properties():
    def fill(document: Document):
        document.core_properties.title = "Returns"
        document.core_properties.author = "Ada"
        document.add_heading("The handbook", 0)
        document.add_heading("Refunds", 1)
        document.add_paragraph("Paid within 14 days.")
        document.add_heading("Details", 3)

    result = parsed(fill)
    assert blocks(result) == [
        ("heading", 1, "The handbook"),
        ("heading", 1, "Refunds"),
        ("text", 0, "Paid within 14 days."),
        ("heading", 3, "Details"),
    ]
    assert result.title == "Returns"
    assert result.type == "docx"
    assert result.fields["author"] == "Ada"
    assert str(result.fields["created"]).startswith("20")


def test_a_style_of_another_name_based_on_a_heading_is_one():
    def fill(document: Document):
        style = document.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles["Heading 2"]
        document.add_paragraph("Based", style="Kapitel")
        local = document.styles.add_style("Überschrift 3", WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph("Named", style=local)
        direct = document.add_paragraph("Direct")
        level = OxmlElement("w:outlineLvl")
        level.set(qn("w:val"), "3")
        direct._p.get_or_add_pPr().append(level)

    assert blocks(parsed(fill)) == [("heading", 2, "Based"), ("heading", 3, "Named"), ("heading", 4, "Direct")]


def test_lists_are_marked_and_counted():
    def fill(document: Document):
        for item in ("one", "two"):
            document.add_paragraph(item, style="List Number")
        document.add_paragraph("apples", style="List Bullet")
        document.add_paragraph("end")

    assert blocks(parsed(fill)) == [("text", 0, "1. one\n2. two\n- apples"), ("text", 0, "end")]


def test_tables_with_merged_and_nested_cells():
    def fill(document: Document):
        table = document.add_table(3, 3)
        table.cell(0, 0).merge(table.cell(0, 1)).text = "Both"
        table.cell(0, 2).text = "Price | Euro"
        table.cell(1, 0).merge(table.cell(2, 0)).text = "Post"
        table.cell(1, 1).text = "small"
        table.cell(1, 2).text = "3"
        inner = table.cell(2, 1).add_table(1, 2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "in", "side"
        table.cell(2, 2).text = "5"

    ((kind, _, text),) = blocks(parsed(fill))
    assert kind == "table"
    assert text.splitlines() == [
        "| Both | Both | Price \\| Euro |",
        "| --- | --- | --- |",
        "| Post | small | 3 |",
        "| Post | in side | 5 |",
    ]


def test_a_table_of_one_cell_is_a_frame():
    def fill(document: Document):
        cell = document.add_table(1, 1).cell(0, 0)
        cell.text = "Note"
        cell.add_paragraph("Inside", style="Heading 2")

    assert blocks(parsed(fill)) == [("text", 0, "Note"), ("heading", 2, "Inside")]


def test_insertions_stay_and_deletions_go():
    def fill(document: Document):
        paragraph = document.add_paragraph("We ")
        for xml in (
            f"<w:ins {nsdecls('w')}><w:r><w:t>really </w:t></w:r></w:ins>",
            f"<w:del {nsdecls('w')}><w:r><w:delText>never </w:delText></w:r></w:del>",
            f"<w:r {nsdecls('w')}><w:t>pay</w:t></w:r>",
        ):
            paragraph._p.append(parse_xml(xml))

    assert parsed(fill).text == "We really pay"


def test_links_text_boxes_and_equations():
    def fill(document: Document):
        paragraph = document.add_paragraph("See ")
        for xml in (
            f'<w:hyperlink {nsdecls("w")} w:anchor="x"><w:r><w:t>the page</w:t></w:r></w:hyperlink>',
            f"<w:r {nsdecls('w')}><w:pict><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent>"
            "</w:pict></w:r>",
            '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:f><m:num><m:r><m:t>a</m:t>'
            "</m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>",
        ):
            paragraph._p.append(parse_xml(xml))

    assert blocks(parsed(fill)) == [("text", 0, "See the page $\\frac{a}{b}$"), ("text", 0, "Boxed")]


def test_footnotes_follow_their_paragraph():
    document = docx.Document()
    paragraph = document.add_paragraph("A claim")
    paragraph._p.append(parse_xml(f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'))
    document.add_paragraph("Next")
    out = io.BytesIO()
    document.save(out)
    note = '<w:footnote w:id="2"><w:p><w:r><w:t>Its source</w:t></w:r></w:p></w:footnote>'
    notes = f"<w:footnotes {nsdecls('w')}>{note}</w:footnotes>"
    data = edited(
        out.getvalue(),
        {
            "word/footnotes.xml": lambda _: notes.encode(),
            "word/_rels/document.xml.rels": lambda old: old.replace(
                b"</Relationships>",
                b'<Relationship Id="n1" Type="http://x/footnotes" Target="footnotes.xml"/></Relationships>',
            ),
        },
    )
    result = read(data, "a.docx", ParseOptions())
    assert result.text == "A claim [1]\n\nIts source\n\nNext"


def edited(data: bytes, changes: dict[str, Callable[[bytes], bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in {*old.namelist(), *changes}:
            content = old.read(name) if name in old.namelist() else b""
            new.writestr(name, changes.get(name, lambda same: same)(content))
    return out.getvalue()


def simple() -> bytes:
    out = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("text")
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize("entity", [b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'])
def test_entities_in_a_part_are_refused(entity: bytes):
    data = edited(simple(), {"word/document.xml": lambda old: old.replace(b"?>", b"?>" + entity, 1)})
    with pytest.raises(DocumentError) as caught:
        read(data, "a.docx", ParseOptions())
    assert caught.value.code == "corrupt_document"


def test_a_document_without_words_has_no_text():
    out = io.BytesIO()
    docx.Document().save(out)
    with pytest.raises(DocumentError) as caught:
        read(out.getvalue(), "a.docx", ParseOptions())
    assert caught.value.code == "no_text"


def test_a_small_limit_stops_the_unpacking():
    with pytest.raises(DocumentError) as caught:
        read(simple(), "a.docx", ParseOptions(max_expanded_bytes=1000))
    assert caught.value.code == "too_large"

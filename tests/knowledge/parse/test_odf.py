import io
import zipfile

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.odf import read
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for name, full in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("style", "style"),
        ("presentation", "presentation"),
        ("meta", "meta"),
    )
)


def packed(body: str, styles: str = "", **more: str) -> bytes:
    content = f"""<office:document-content {SPACES}><office:automatic-styles>{styles}</office:automatic-styles>
<office:body>{body}</office:body></office:document-content>"""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("content.xml", content)
        for name, text in more.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return out.getvalue()


def blocks(result: Parsed) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, result.text[block.start : block.end]) for block in result.blocks]


def test_a_text_with_headings_lists_notes_and_properties():
    body = """<office:text>
<text:tracked-changes><text:changed-region><text:p>gone</text:p></text:changed-region></text:tracked-changes>
<text:p text:style-name="P1">Handbook</text:p>
<text:h text:outline-level="2">Refunds</text:h>
<text:p>Paid<text:s text:c="2"/>in <text:span>14</text:span> days<text:note><text:note-citation>1</text:note-citation>
<text:note-body><text:p>Not on Sundays</text:p></text:note-body></text:note>.</text:p>
<text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p>
</text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>
</office:text>"""
    styles = """<style:style style:name="P1" style:parent-style-name="Title"/>
<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>"""
    meta = f"""<office:document-meta {SPACES}><office:meta><meta:initial-creator>Ada</meta:initial-creator>
</office:meta></office:document-meta>"""
    result = read(packed(body, styles, meta_xml=meta), "a.odt", ParseOptions())
    assert blocks(result) == [
        ("heading", 1, "Handbook"),
        ("heading", 2, "Refunds"),
        ("text", 0, "Paid  in 14 days [1] ."),
        ("text", 0, "Not on Sundays"),
        ("text", 0, "1. one\n  1. deep\n2. two"),
    ]
    assert result.title == "Handbook"
    assert result.fields == {"author": "Ada"}
    assert result.type == "odt"


def test_tables_with_spans():
    body = """<office:text><table:table><table:table-header-rows><table:table-row>
<table:table-cell table:number-columns-spanned="2"><text:p>Both</text:p></table:table-cell><table:covered-table-cell/>
</table:table-row></table:table-header-rows><table:table-row><table:table-cell table:number-rows-spanned="2">
<text:p>Post</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell><text:p>5</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000"/>
</table:table-row></table:table></office:text>"""
    ((kind, _, text),) = blocks(read(packed(body), "a.odt", ParseOptions()))
    assert kind == "table"
    assert text == "| Both | Both |\n| --- | --- |\n| Post | 3 |\n| Post | 5 |"


def test_slides_are_pages():
    body = """<office:presentation><draw:page><draw:frame presentation:class="title">
<draw:text-box><text:p>Welcome</text:p>
</draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>Words</text:p></draw:text-box></draw:frame>
<presentation:notes><draw:frame><draw:text-box><text:p>Smile</text:p></draw:text-box></draw:frame></presentation:notes>
</draw:page><draw:page><draw:frame><draw:text-box><text:p>More</text:p></draw:text-box></draw:frame></draw:page>
</office:presentation>"""
    result = read(packed(body), "a.odp", ParseOptions())
    assert [(block.page, result.text[block.start : block.end]) for block in result.blocks] == [
        (1, "Welcome"),
        (1, "Words"),
        (1, "Notes: Smile"),
        (2, "More"),
    ]
    assert result.type == "odp"


def test_a_password():
    data = packed("<office:text/>", **{"META-INF__manifest_xml": "<manifest:encryption-data/>"})
    with pytest.raises(DocumentError) as caught:
        read(data, "a.odt", ParseOptions())
    assert caught.value.code == "encrypted_document"

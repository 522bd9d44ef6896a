import io
import zipfile

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.epub import read
from knowgate.knowledge.parse.reader import ParseOptions

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The walk</dc:title>
<dc:creator>Ada</dc:creator><dc:creator>Bo</dc:creator></metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="two" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="lost" href="text/lost.xhtml" media-type="application/xhtml+xml"/>
</manifest>
<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="lost"/></spine></package>"""


def book(**more: str) -> bytes:
    pages = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/nav.xhtml": "<html><body><p>One Two</p></body></html>",
        "OEBPS/text/one.xhtml": "<html><body><h1>First chapter</h1><p>It begins.</p></body></html>",
        "OEBPS/text/two b.xhtml": "<html><body><h2>Second chapter</h2><p>It ends.</p></body></html>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in {**pages, **more}.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_chapters_come_in_the_order_of_the_spine():
    result = read(book(), "a.epub", ParseOptions())
    assert result.text == "First chapter\n\nIt begins.\n\nSecond chapter\n\nIt ends."
    assert [(block.kind, block.level) for block in result.blocks] == [
        ("heading", 1),
        ("text", 0),
        ("heading", 2),
        ("text", 0),
    ]
    assert result.title == "The walk"
    assert result.fields == {"title": "The walk", "author": "Ada, Bo"}
    assert "1 chapter" in result.warnings[0]


def test_copy_protection():
    rights = "<encryption><EncryptedData><EncryptionMethod Algorithm='http://x#aes256'/></EncryptedData></encryption>"
    with pytest.raises(DocumentError) as caught:
        read(book(**{"META-INF/encryption.xml": rights}), "a.epub", ParseOptions())
    assert caught.value.code == "encrypted_document"


def test_scrambled_fonts_are_no_obstacle():
    fonts = (
        "<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/>"
        "</EncryptedData></encryption>"
    )
    assert "It begins." in read(book(**{"META-INF/encryption.xml": fonts}), "a.epub", ParseOptions()).text

import struct
from collections.abc import Callable

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.doc import read
from knowgate.knowledge.parse.reader import ParseOptions

Build = Callable[[dict[str, bytes]], bytes]


def word(
    text: str, build: Build, styles: dict[int, bytes] | None = None, flags: int = 0x0200, magic: int = 0xA5EC
) -> bytes:
    """The smallest Word 97 file: one piece of 8-bit text at 2048, one page of paragraph properties at 1024."""
    raw = text.encode("cp1252")
    stream = bytearray(2048)
    struct.pack_into("<HH6xH", stream, 0, magic, 0xC1, flags)
    struct.pack_into("<ii", stream, 0x4C, len(raw), 0)
    ends = [2048 + place + 1 for place, byte in enumerate(raw) if byte in (7, 13)]
    page = bytearray(512)
    page[511] = len(ends)
    struct.pack_into(f"<{len(ends) + 1}I", page, 0, 2048, *ends)
    offset = 500
    for index in range(len(ends)):
        properties = (styles or {}).get(index, b"\0\0")
        size = len(properties) // 2 + 1
        offset -= 2 * size
        page[offset] = size
        page[offset + 1 : offset + 1 + len(properties)] = properties
        page[4 * (len(ends) + 1) + 13 * index] = offset // 2
    stream[1024:1536] = page
    pieces = struct.pack("<II", 0, len(raw)) + struct.pack("<HIH", 0, 2048 * 2 | 0x40000000, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    plan = struct.pack("<III", 2048, 2048 + len(raw), 2)
    struct.pack_into("<II", stream, 0x01A2, 0, len(clx))
    struct.pack_into("<II", stream, 0x0102, len(clx), len(plan))
    return build({"WordDocument": bytes(stream) + raw, "1Table": clx + plan})


def test_headings_fields_and_paragraphs(compound_file: Build):
    data = word("Refunds\rSee \x13 HYPERLINK x \x14our page\x15 now.\rEnd\r", compound_file, {0: b"\x02\x00"})
    result = read(data, "a.doc", ParseOptions())
    assert [(block.kind, block.level, result.text[block.start : block.end]) for block in result.blocks] == [
        ("heading", 2, "Refunds"),
        ("text", 0, "See our page now."),
        ("text", 0, "End"),
    ]
    assert result.title == "Refunds"


def test_tables(compound_file: Build):
    cell, row_end = b"\0\0\x16\x24\x01\0", b"\0\0\x17\x24\x01\0"
    text = "Country\x07Days\x07\x07Chile\x07\x07\x07After\r"
    styles = {0: cell, 1: cell, 2: row_end, 3: cell, 4: cell, 5: row_end}
    result = read(word(text, compound_file, styles), "a.doc", ParseOptions())
    assert result.text == "| Country | Days |\n| --- | --- |\n| Chile |  |\n\nAfter"
    assert [block.kind for block in result.blocks] == ["table", "text"]


def test_a_password(compound_file: Build):
    with pytest.raises(DocumentError) as caught:
        read(word("x\r", compound_file, flags=0x0300), "a.doc", ParseOptions())
    assert caught.value.code == "encrypted_document"


def test_a_version_too_old(compound_file: Build):
    with pytest.raises(DocumentError) as caught:
        read(word("x\r", compound_file, magic=0xA5DC), "a.doc", ParseOptions())
    assert caught.value.code == "old_format"
    assert ".docx" in caught.value.fix

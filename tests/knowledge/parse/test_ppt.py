import struct
from collections.abc import Callable

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.ppt import read
from knowgate.knowledge.parse.reader import ParseOptions

Build = Callable[[dict[str, bytes]], bytes]


def record(kind: int, data: bytes, *, container: bool = False, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | (0xF if container else 0), kind, len(data)) + data


def text(kind: int, words: str) -> bytes:
    return record(0x0F9F, struct.pack("<I", kind)) + record(0x0FA0, words.encode("utf-16-le"))


def deck(build: Build, token: int = 0xE391C05F) -> bytes:
    """A document with one slide: its title is in the outline, its other text in a shape."""
    listing = record(0x0FF0, record(0x03F3, struct.pack("<I", 2) + bytes(16)) + text(0, "Prices"), container=True)
    document = record(0x03E8, listing, container=True)
    boxes = record(0xF00D, record(0x0F9E, struct.pack("<I", 0)), container=True)
    boxes += record(0xF00D, text(4, "Air: 9 €\rSea: 3 €"), container=True)
    slide = record(0x03EE, record(0xF003, boxes, container=True), container=True)
    places = record(0x1772, struct.pack("<III", 2 << 20 | 1, 0, len(document)))
    before = document + slide
    edit = record(0x0FF5, struct.pack("<IIIIIII", 0, 0, 0, len(before), 1, 0, 0))
    user = struct.pack("<HHIIII", 0, 0x0FF6, 20, 20, token, len(before) + len(places))
    return build({"PowerPoint Document": before + places + edit, "Current User": user})


def test_slides_with_titles(compound_file: Build):
    result = read(deck(compound_file), "a.ppt", ParseOptions())
    assert [(block.kind, block.page, result.text[block.start : block.end]) for block in result.blocks] == [
        ("heading", 1, "Prices"),
        ("text", 1, "Air: 9 €\nSea: 3 €"),
    ]


def test_a_password(compound_file: Build):
    with pytest.raises(DocumentError) as caught:
        read(deck(compound_file, 0xF3D1C4DF), "a.ppt", ParseOptions())
    assert caught.value.code == "encrypted_document"


def test_an_older_version(compound_file: Build):
    with pytest.raises(DocumentError) as caught:
        read(compound_file({"PP40": b""}), "a.ppt", ParseOptions())
    assert caught.value.code == "old_format"

import struct
from collections.abc import Callable

import pytest

CompoundFile = Callable[[dict[str, bytes]], bytes]


def build_compound_file(streams: dict[str, bytes]) -> bytes:
    """An OLE2 file of sectors of 512 bytes; every stream is padded to 4,096 so that none goes to the small table."""
    free, end, table_mark = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    table = [table_mark, end]
    body = b""
    entries = [("Root Entry", 5, end, 0)]
    for name, data in streams.items():
        data = data.ljust(4096, b"\0")
        data += bytes(-len(data) % 512)
        start, count = len(table), len(data) // 512
        table += [*range(start + 1, start + count), end]
        entries.append((name, 2, start, len(data)))
        body += data
    assert len(entries) <= 4
    assert len(table) <= 128
    directory = b""
    for name, kind, start, size in entries:
        text = name.encode("utf-16-le")
        directory += text.ljust(64, b"\0") + struct.pack("<HBB12x", len(text) + 2, kind, 1) + bytes(36)
        directory += struct.pack("<III", start, size, 0)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 62, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIIII", 0, 1, 1, 0, 4096, end, 0, end, 0, 0)
    header += struct.pack("<108I", *([free] * 108))
    table += [free] * (128 - len(table))
    return header + struct.pack("<128I", *table) + directory.ljust(512, b"\0") + body


@pytest.fixture
def compound_file() -> CompoundFile:
    return build_compound_file

"""Word documents of the years before 2007: text by the piece table, headings and table rows by paragraph styles."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.archive import corrupt, encrypted
from knowgate.knowledge.parse.doc_styles import Paragraphs
from knowgate.knowledge.parse.ole import CompoundFile, save_as
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_text
from knowgate.model import Parsed

Piece = tuple[int, int, bool]
"""Where it lies in the stream, how many characters, and whether a character takes two bytes."""

_FIELD = re.compile(r"\x13[^\x13\x14\x15]*\x14([^\x13\x14\x15]*)\x15|\x13[^\x13\x14\x15]*\x15")


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    file = CompoundFile(data, "Word")
    file.refuse_encrypted()
    try:
        return finished(_blocks(file), "doc")
    except (struct.error, IndexError) as error:
        raise corrupt("Word") from error


def _blocks(file: CompoundFile) -> TextBuilder:
    stream = file.stream("WordDocument")
    magic, version, flags = struct.unpack_from("<HH6xH", stream)
    if flags & 0x0100:
        raise encrypted("Word")
    if magic != 0xA5EC or version < 0xC1:
        raise save_as("Word", ".docx")
    table = file.stream("1Table" if flags & 0x0200 else "0Table")
    characters = sum(max(0, count) for count in struct.unpack_from("<ii", stream, 0x4C))
    styles = Paragraphs(stream, table)
    out = TextBuilder()
    rows: list[list[str]] = []
    row: list[str] = []
    cell: list[str] = []
    for text, end, place in _paragraphs(stream, _pieces(stream, table), characters):
        text = _clean(text)
        if end == "\x07":
            if styles.ends_row(place):
                rows.append(row)
                row = []
            else:
                row.append(" ".join([*cell, text]).strip())
            cell = []
            continue
        if row or styles.in_table(place):
            cell.append(text)
            continue
        _add_table(out, rows)
        rows = []
        level = styles.level(place)
        out.add("heading" if level else "text", " ".join(text.split()) if level else text, level=level)
    _add_table(out, [*rows, row])
    return out


def _add_table(out: TextBuilder, rows: list[list[str]]) -> None:
    rows = [row for row in rows if any(row)]
    if len(rows) == 1 and len(rows[0]) == 1:
        out.add("text", rows[0][0])
    elif rows:
        out.add("table", table_text(rows))


def _pieces(stream: bytes, table: bytes) -> list[Piece]:
    start, length = struct.unpack_from("<II", stream, 0x01A2)
    clx = table[start : start + length]
    offset = 0
    while offset < len(clx) and clx[offset] == 1:
        offset += 3 + struct.unpack_from("<H", clx, offset + 1)[0]
    if offset >= len(clx) or clx[offset] != 2:
        raise corrupt("Word")
    (size,) = struct.unpack_from("<I", clx, offset + 1)
    body = clx[offset + 5 : offset + 5 + size]
    count = (len(body) - 4) // 12
    edges = struct.unpack_from(f"<{count + 1}I", body)
    pieces: list[Piece] = []
    for index in range(count):
        (place,) = struct.unpack_from("<I", body, 4 * (count + 1) + 8 * index + 2)
        narrow = bool(place & 0x40000000)
        place &= 0x3FFFFFFF
        pieces.append((place // 2 if narrow else place, max(edges[index + 1] - edges[index], 0), not narrow))
    return pieces


def _paragraphs(stream: bytes, pieces: list[Piece], left: int) -> Iterator[tuple[str, str, int]]:
    """Text, the mark it ends with, and where in the stream that mark lies."""
    text = ""
    for place, length, wide in pieces:
        length = min(length, left)
        left -= length
        width = 2 if wide else 1
        part = stream[place : place + length * width].decode("utf-16-le" if wide else "cp1252", "replace")
        start = 0
        for match in re.finditer("[\r\x07\x0c]", part):
            yield text + part[start : match.start()], match[0], place + match.start() * width
            text, start = "", match.end()
        text += part[start:]
    if text:
        yield text, "\r", 0


def _clean(text: str) -> str:
    """Field codes go, their results stay; so do the marks for pictures, notes and comments."""
    for _ in range(5):
        text, changed = _FIELD.subn(lambda match: match[1] or "", text)
        if not changed:
            break
    text = text.translate({0x0B: "\n", 0x1E: "-", 0x1F: None, 0xA0: " ", 0x09: " "})
    return re.sub(r"[\x00-\x08\x0e-\x1f]", "", text).strip()

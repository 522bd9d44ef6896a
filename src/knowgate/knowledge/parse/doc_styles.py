"""Paragraph properties of older Word documents: heading levels, table paragraphs, the ends of table rows."""

from __future__ import annotations

import bisect
import struct

_IN_TABLE = b"\x16\x24\x01"
_ROW_END = b"\x17\x24\x01"
"""Paragraph properties as they are stored: a number and the value 1."""
_TITLE = 62
"""The built-in style "Title", whatever it is called in the language of the program."""


class Paragraphs:
    """What is known of a paragraph, by the place of its end mark in the stream."""

    def __init__(self, stream: bytes, table: bytes) -> None:
        self._levels = _heading_styles(stream, table)
        start, length = struct.unpack_from("<II", stream, 0x0102)
        plan = table[start : start + length]
        count = max((len(plan) - 4) // 8, 0)
        found: dict[int, bytes] = {}
        for (page,) in struct.iter_unpack("<I", plan[4 * (count + 1) : 8 * count + 4]):
            block = stream[(page & 0x3FFFFF) * 512 : (page & 0x3FFFFF) * 512 + 512]
            if len(block) == 512:
                found |= _properties_on(block)
        self._ends = sorted(found)
        self._properties = [found[end] for end in self._ends]

    def level(self, place: int) -> int:
        properties = self._at(place)
        return self._levels.get(struct.unpack_from("<H", properties)[0], 0) if len(properties) > 1 else 0

    def in_table(self, place: int) -> bool:
        return _IN_TABLE in self._at(place)

    def ends_row(self, place: int) -> bool:
        return _ROW_END in self._at(place)

    def _at(self, place: int) -> bytes:
        index = bisect.bisect_right(self._ends, place)
        return self._properties[index] if index < len(self._ends) else b""


def _heading_styles(stream: bytes, table: bytes) -> dict[int, int]:
    """Style -> heading level: the first nine are the headings, others may be based on them."""
    levels = {style: min(style, 6) for style in range(1, 10)}
    start, length = struct.unpack_from("<II", stream, 0x00A2)
    sheet = table[start : start + length]
    if len(sheet) < 4:
        return levels
    size, count = struct.unpack_from("<HH", sheet)
    offset = 2 + size
    for style in range(count):
        if offset + 6 > len(sheet):
            break
        length, builtin, based = struct.unpack_from("<HHH", sheet, offset)
        if length and style > 9:
            if builtin & 0xFFF == _TITLE:
                levels[style] = 1
            elif based >> 4 in levels and based & 0xF == 1:
                levels[style] = levels[based >> 4]
        offset += 2 + length + (length & 1)
    return levels


def _properties_on(block: bytes) -> dict[int, bytes]:
    """A page of 512 bytes: the ends of its paragraphs, and from behind their properties."""
    count = min(block[511], 29)
    found: dict[int, bytes] = {}
    for index, end in enumerate(struct.unpack_from(f"<{count + 1}I", block)[1:]):
        offset = block[4 * (count + 1) + 13 * index] * 2
        begin, size = offset + 1, 2 * block[offset] - 1
        if not block[offset]:
            begin, size = offset + 2, 2 * block[min(offset + 1, 511)]
        found[end] = block[begin : begin + size] if offset else b""
    return found

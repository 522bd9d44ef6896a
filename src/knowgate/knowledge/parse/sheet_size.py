"""How large a sheet really is: the reader behind lays it out in full, so two far corners would take all memory."""

from __future__ import annotations

import re
import struct

from knowgate.errors import DocumentError

MAX_CELLS = 20_000_000
_XLS_CELLS = {0x0006, 0x00BD, 0x00D6, 0x00FD, 0x0203, 0x0204, 0x0205, 0x027E}
"""The records that hold a value; each begins with its row and column."""
_WIDE = re.compile(rb'r="[A-Z]{2,3}\d')
_LONG = re.compile(rb'r="[A-Z]+\d{5}')
_CELL = re.compile(rb'r="([A-Z]{1,3})(\d{1,7})"')


def check_xls(stream: bytes) -> None:
    rows = columns = offset = 0
    while offset + 8 <= len(stream):
        kind, length, row, column = struct.unpack_from("<4H", stream, offset)
        if kind in _XLS_CELLS:
            rows, columns = max(rows, row + 1), max(columns, column + 1)
        offset += 4 + length
    _refuse(rows, columns)


def check_xlsx(sheet: bytes) -> None:
    """Counts only where a sheet is both wide and long, which most are not."""
    if _WIDE.search(sheet) and _LONG.search(sheet):
        names = {(column, int(row)) for column, row in _CELL.findall(sheet)}
        _refuse(max(row for _, row in names), max(_column(name) for name, _ in names))


def _column(name: bytes) -> int:
    number = 0
    for letter in name:
        number = number * 26 + letter - 64
    return number


def _refuse(rows: int, columns: int) -> None:
    if rows * columns > MAX_CELLS:
        raise DocumentError(
            "too_large",
            f"A sheet spans {rows} rows and {columns} columns, more than {MAX_CELLS // 1_000_000} million cells.",
            "Delete stray cells far from the data, or split the sheet, and ingest it again.",
        )

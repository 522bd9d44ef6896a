"""CSV and TSV: tables in groups of rows, each with the header row, so that every block reads on its own."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice

from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.delimited import best_delimiter
from knowgate.knowledge.parse.kinds import MIME, named_type
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_texts
from knowgate.knowledge.parse.text import parse_text
from knowgate.model import Parsed


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:
    text = decode(data)
    delimiter = best_delimiter(text[:65536])
    type_ = "tsv" if delimiter == "\t" or named_type(name) == "tsv" else "csv"
    builder = TextBuilder()
    left = options.max_expanded_bytes
    warnings: tuple[str, ...] = ()
    try:
        for table in table_texts(_rows(text, delimiter)):
            left -= len(table)
            if left < 0:
                warnings = ("The rows at the end were left out. Split the file into smaller ones.",)
                break
            builder.add("table", table)
    except csv.Error:
        # A quote that never ends, or a cell longer than any table's: better read as it stands than not at all.
        return parse_text(text, type_, MIME[type_])
    whole, blocks = builder.build()
    return Parsed(whole, blocks, type_, MIME[type_], warnings=warnings)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    rows = (row for row in csv.reader(_lines(text), delimiter=delimiter) if any(map(str.strip, row)))
    start = list(islice(rows, 2))
    if len(start) == 2 and all(map(_is_number, start[0] + start[1])):
        yield [f"column {index}" for index in range(1, len(start[0]) + 1)]
    yield from start
    yield from rows


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : end + 1]
        start = end + 1
    yield text[start:]


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return False
    return True

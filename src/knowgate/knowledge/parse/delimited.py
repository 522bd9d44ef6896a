"""Lines of values with something between them: which character it is."""

from __future__ import annotations

import csv

_DELIMITERS = "\t;|,"
_LINES = 30


def sniff_delimiter(head: str) -> str | None:
    """The character that parts every line into the same number of values; None when the lines are just text."""
    lines = [line for line in head.split("\n", _LINES)[:_LINES] if line.strip()]
    if len(lines) < 3:
        return None
    for delimiter in _DELIMITERS:
        widths = {len(row) for row in _rows(lines, delimiter)}
        # Prose has commas too, but never the same number in every line.
        if len(widths) == 1 and min(widths) >= (3 if delimiter == "," else 2):
            return delimiter
    return None


def best_delimiter(head: str) -> str:
    """The likeliest delimiter of a file that is known to be a table: the one most lines agree on."""
    lines = [line for line in head.split("\n", _LINES)[:_LINES] if line.strip()]
    best, most = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = [len(row) for row in _rows(lines, delimiter)]
        if not widths or max(widths) < 2:
            continue
        common = max(set(widths), key=widths.count)
        agreement = widths.count(common) / len(widths) * (common > 1)
        if agreement > most:
            best, most = delimiter, agreement
    return best


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return []

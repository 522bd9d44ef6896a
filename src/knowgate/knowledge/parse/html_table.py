"""Tables in HTML: rows of cells, spans filled in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from knowgate.knowledge.parse.html_content import walk
from knowgate.knowledge.parse.xml import Element, local, number

_MOST_COLUMNS = 200
_MOST_SPANNED_ROWS = 1_000
_LONGEST_REPEATED = 200
_PARTING = frozenset(("br", "p", "div", "li", "dt", "dd", "pre", "h1", "h2", "h3", "h4", "h5", "h6"))
_LONG_CELL = 400
"""On average: a table of longer texts is there for the layout."""


def table_rows(table: Element) -> list[list[str]]:
    """The rows, the header first; nothing when the table only lays out the page."""
    if table.get("role", "") in ("presentation", "none") or next(islice(table.iter("table"), 1, 2), None) is not None:
        return []
    rows = _filled(list(_rows(table)))
    width = max(map(len, rows), default=0)
    cells = [cell for row in rows for cell in row if cell]
    headed = next(table.iter("th"), None) is not None
    if width < 2 or not cells or (len(rows) < 2 and not headed):
        return []
    if not headed and sum(map(len, cells)) > _LONG_CELL * len(cells):
        return []
    return rows


def _rows(table: Element) -> Iterator[Element]:
    for part in table:
        if local(part) == "tr":
            yield part
        elif local(part) in ("thead", "tbody", "tfoot"):
            yield from (row for row in part if local(row) == "tr")


def _filled(rows: list[Element]) -> list[list[str]]:
    """A cell that spans rows or columns is repeated, so that each row reads on its own. Rows that hold nothing else are
    left out."""
    filled: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in rows:
        cells: list[str] = []
        own = False
        for cell in (each for each in row if local(each) in ("td", "th")):
            _drop_down(hanging, cells)
            text = " ".join("".join(_words(cell) if len(cell) else cell.text or "").split())
            down = min(number(cell.get("rowspan", "1"), 1), _MOST_SPANNED_ROWS)
            own = own or (down == 1 and text != "")
            for _ in range(max(min(number(cell.get("colspan", "1"), 1), _MOST_COLUMNS - len(cells)), 1)):
                if down > 1:
                    hanging[len(cells)] = (down - 1, text[:_LONGEST_REPEATED])
                cells.append(text)
                text = text[:_LONGEST_REPEATED]
        _drop_down(hanging, cells)
        if own:
            filled.append(cells)
    return filled


def _drop_down(hanging: dict[int, tuple[int, str]], cells: list[str]) -> None:
    while len(cells) in hanging:
        left, text = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = (left - 1, text)
        cells.append(text)


def _words(cell: Element) -> Iterator[str]:
    for event, element in walk(cell):
        if event == "start":
            yield f" {element.get('alt', '')} " if local(element) == "img" else element.text or ""
        elif element is not cell:
            yield (" " if local(element) in _PARTING else "") + (element.tail or "")

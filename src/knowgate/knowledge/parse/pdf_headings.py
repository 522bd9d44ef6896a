"""Which lines of a PDF are headings, and of what level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from knowgate.knowledge.parse.pdf_layout import BIGGER, Layout, body_size, half_points, same_row
from knowgate.knowledge.parse.pdf_tables import Table
from knowgate.knowledge.parse.pdfium import Entry, Line

LONGEST_HEADING = 200
Style = tuple[float, bool]
"""Size and boldness."""


def mark_headings(layouts: list[Layout], outline: list[Entry]) -> None:
    """Sets `Line.level`: from the outline where its entries stand on their pages, by size and weight otherwise."""
    body = body_size(layouts)
    lines = [line for layout in layouts for line in layout.page.lines]
    heavy_body = sum(len(line.text) for line in lines if line.bold) > 0.5 * sum(len(line.text) for line in lines)
    known = _match_outline(layouts, outline)
    pages_of: dict[Style, set[int]] = {}
    candidates: list[Line] = []
    for layout in layouts:
        for line in _candidates(layout, body, heavy_body):
            if not line.level:
                candidates.append(line)
                pages_of.setdefault(_style(line), set()).add(layout.page.number)
    levels = known | _ranked({style: pages for style, pages in pages_of.items() if style not in known}, known)
    for line in candidates:
        line.level = levels[_style(line)]


def _ranked(pages_of: dict[Style, set[int]], known: dict[Style, int]) -> dict[Style, int]:
    """Levels by size, then weight. A style seen on one page only, as on a cover, takes no level of its own if others
    are used throughout: it gets that of the next smaller one."""
    regular = [style for style, pages in pages_of.items() if len(pages) > 1] or list(pages_of)
    levels = dict(known)
    for style in sorted(regular, reverse=True):
        levels[style] = min(max((level for other, level in levels.items() if other > style), default=0) + 1, 6)
    for style in sorted(set(pages_of) - set(levels), reverse=True):
        smaller = [other for other in levels if other < style]
        levels[style] = levels[max(smaller)] if smaller else min(max(levels.values(), default=0) + 1, 6)
    return levels


def _match_outline(layouts: list[Layout], outline: list[Entry]) -> dict[Style, int]:
    """Marks the lines the outline names; gives the usual level of each style among them."""
    by_page = {layout.page.number: layout for layout in layouts}
    seen: dict[Style, Counter[int]] = {}
    for entry in outline:
        wanted = _letters(entry.title)
        layout = by_page.get(entry.page)
        for group in _runs(list(layout.lines)) if layout and wanted else ():
            if _letters(" ".join(line.text for line in group)) == wanted:
                for line in group:
                    line.level = entry.level
                    seen.setdefault(_style(line), Counter())[entry.level] += 1
                break
    return {style: levels.most_common(1)[0][0] for style, levels in seen.items()}


def _runs(lines: list[Line]) -> Iterator[list[Line]]:
    """Every line alone, and with one or two after it: headings wrap."""
    for index in range(len(lines)):
        for length in (1, 2, 3):
            if index + length <= len(lines):
                yield lines[index : index + length]


def _candidates(layout: Layout, body: float, heavy_body: bool) -> Iterator[Line]:
    items = layout.items
    for index, line in enumerate(items):
        if not isinstance(line, Line) or line.mono or len(line.text) > LONGEST_HEADING:
            continue
        letters = sum(map(str.isalpha, line.text))
        if letters < 2 or letters < 0.4 * len(line.text.replace(" ", "")):
            continue
        if line.size >= body * BIGGER:
            yield line
        elif (
            line.bold
            and not heavy_body
            and line.size >= body * 0.95
            and not line.text.rstrip().endswith((".", ",", ";", ":"))
        ):
            before = items[index - 1] if index else None
            after = items[index + 1] if index + 1 < len(items) else None
            if _stands_apart(line, before) and not (isinstance(after, Line) and same_row(line, after)):
                yield line


def _stands_apart(line: Line, before: Line | Table | None) -> bool:
    """Bold words inside a paragraph or a table row are no heading: there must be air above, or another heading."""
    if not isinstance(before, Line):
        return True
    if same_row(line, before):
        return False
    gap = before.y0 - line.y1
    return gap > 0.35 * line.size or gap < -line.size or (before.bold and _style(before) == _style(line))


def _style(line: Line) -> Style:
    return half_points(line.size), line.bold


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))

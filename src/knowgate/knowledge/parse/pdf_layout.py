"""From lines on pages to paragraphs: what repeats on every page goes, headings are told apart, lines are joined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from knowgate.knowledge.parse.pdf_order import sort_blocks
from knowgate.knowledge.parse.pdf_tables import Table, join_words
from knowgate.knowledge.parse.pdfium import Line, Page
from knowgate.knowledge.parse.reader import table_text
from knowgate.model import BlockKind

MARGIN = 0.12
"""The share of a page's height where running heads and page numbers stand."""
REPEATS = 0.4
"""On this share of the pages a line is furniture; left and right pages often differ, so it is below a half."""
BIGGER = 1.12
"""A heading's size against the body's."""
_MARK = re.compile(r"(?:[•◦▪‣·○●■□–—*-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])(?:\s|$)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(slots=True)
class Layout:
    """A page after tables were found: its lines and tables in reading order."""

    page: Page
    items: list[Line | Table] = field(default_factory=list["Line | Table"])

    @property
    def lines(self) -> Iterator[Line]:
        return (item for item in self.items if isinstance(item, Line))


def drop_furniture(layouts: list[Layout]) -> None:
    """Takes out running heads, feet and page numbers: the same words but for numbers, size and margin on most pages."""
    body = body_size(layouts)
    pages_of: dict[tuple[str, int, bool], set[int]] = {}
    for layout in layouts:
        for line in layout.lines:
            # Larger than the body is a title: "Chapter 1" and "Chapter 2" are no running head.
            if line.size < body * BIGGER and (key := _furniture_key(line, layout.page)):
                pages_of.setdefault(key, set()).add(layout.page.number)
    enough = max(2.0, REPEATS * len(layouts))
    furniture = {key for key, pages in pages_of.items() if len(pages) >= enough}
    for layout in layouts:
        layout.items = [
            item
            for item in layout.items
            if isinstance(item, Table) or _furniture_key(item, layout.page) not in furniture
        ]


def _furniture_key(line: Line, page: Page) -> tuple[str, int, bool] | None:
    text = re.sub(r"\d+", "#", line.text.casefold())
    margin = page.height * (MARGIN if text != "#" else 1.5 * MARGIN)
    top = line.y0 > page.height - margin
    return (text, round(line.size), top) if top or line.y1 < margin else None


def body_size(layouts: list[Layout]) -> float:
    """The size most of the text is set in, tables included."""
    weight: Counter[float] = Counter()
    for layout in layouts:
        for line in layout.page.lines:
            weight[half_points(line.size)] += len(line.text)
    return weight.most_common(1)[0][0] if weight else 0.0


def same_row(one: Line, two: Line) -> bool:
    return abs(one.y0 - two.y0) < 0.5 * max(one.size, two.size)


def half_points(size: float) -> float:
    return round(size * 2) / 2


def page_blocks(layout: Layout, leading: float, vocabulary: set[str]) -> Iterator[tuple[BlockKind, int, str]]:
    """Kind, heading level and text of every block of a page."""
    for item in sort_blocks(list(_paragraphs(layout, leading)), _box):
        if isinstance(item, Table):
            yield "table", 0, table_text(item.rows)
        else:
            kind = "heading" if item[0].level else "code" if item[0].mono else "text"
            yield kind, item[0].level, paragraph_text(item, vocabulary)


def _box(item: list[Line] | Table) -> tuple[float, float, float, float]:
    if isinstance(item, Table):
        return item.box
    return (
        min(line.x0 for line in item),
        min(line.y0 for line in item),
        max(line.x1 for line in item),
        max(line.y1 for line in item),
    )


def _paragraphs(layout: Layout, leading: float) -> Iterator[list[Line] | Table]:
    """Lines that belong together: same kind, the next right below the one before."""
    group: list[Line] = []
    for item in layout.items:
        if isinstance(item, Table) or (group and not _continues(group[-1], item, leading)):
            if group:
                yield group
            group = []
        if isinstance(item, Table):
            yield item
        else:
            group.append(item)
    if group:
        yield group


def usual_leading(layouts: list[Layout]) -> float:
    """The distance from line to line, in sizes of the font, that most lines of the document keep."""
    steps: Counter[float] = Counter()
    for layout in layouts:
        lines = list(layout.lines)
        for above, below in pairwise(lines):
            step = (above.y0 - below.y0) / max(below.size, 1.0)
            if 0.8 < step < 3 and abs(above.size - below.size) < 0.5:
                steps[round(step, 1)] += 1
    return steps.most_common(1)[0][0] if steps else 1.2


def _continues(above: Line, below: Line, leading: float) -> bool:
    if above.level != below.level or above.mono != below.mono:
        return False
    if same_row(above, below):
        return not below.level or abs(above.size - below.size) < 0.5
    if abs(above.size - below.size) > 0.15 * max(above.size, below.size):
        return False
    step = (above.y0 - below.y0) / max(below.size, 1.0)
    if below.mono:
        return 0 < step <= 3
    return 0 < step <= max(leading * 1.25, 1.45) and below.x0 < above.x1 and above.x0 < below.x1


def paragraph_text(lines: list[Line], vocabulary: set[str]) -> str:
    """One text: a line that was full flows into the next, one that ended early ends there too."""
    if lines[0].mono:
        return code_text(lines)
    width = max(line.x1 - line.x0 for line in lines)
    text = _line_text(lines[0])
    for above, below in pairwise(lines):
        first = below.words[0]
        full = (above.x1 - above.x0) + (first.x1 - first.x0) + 0.2 * below.size > width
        if below.level or same_row(above, below) or (full and not _MARK.match(below.text)):
            text = _joined(text, _line_text(below), vocabulary)
        else:
            text = text.replace("\xad", "-") + "\n" + _line_text(below)
    return text.replace("\xad", "-")


def code_text(lines: list[Line]) -> str:
    """Program text keeps its lines and its indentation."""
    left = min(line.x0 for line in lines)
    shown: list[str] = []
    for line in lines:
        width = (line.x1 - line.x0) / max(len(line.text), 1)
        indent = min(round((line.x0 - left) / width), 60) if width > 0 else 0
        shown.append(" " * indent + line.text.replace("\xad", "-"))
    return "\n".join(shown)


def vocabulary_of(layouts: list[Layout]) -> set[str]:
    """The words of the document, to tell `co-operate` at a line's end from `coop-erate`."""
    return {word for layout in layouts for line in layout.lines for word in _WORD.findall(line.text.casefold())}


def _line_text(line: Line) -> str:
    return join_words([word.text for word in line.words[:-1]] + [""]) + line.words[-1].text


def _joined(above: str, below: str, vocabulary: set[str]) -> str:
    if above.endswith(("-", "\xad", "‐")) and len(above) > 1 and above[-2].isalpha() and below[:1].islower():
        left = re.split(r"[^\w-]", above[:-1])[-1].casefold()
        right = re.split(r"\W", below)[0].casefold()
        keeps = f"{left}-{right}" in vocabulary and left + right not in vocabulary
        return above[:-1] + ("-" if keeps else "") + below
    above = above.replace("\xad", "-")
    if above and below and _CJK.match(above[-1]) and _CJK.match(below[0]):
        return above + below
    return f"{above} {below}"

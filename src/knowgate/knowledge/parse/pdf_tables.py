"""Ruled tables on a page: from drawn lines to a grid, from words to its cells."""

from __future__ import annotations

from dataclasses import dataclass

from knowgate.knowledge.parse.pdf_rules import Rule
from knowgate.knowledge.parse.pdfium import Line, Page, Word

NEAR = 3.0
"""Points within which two drawn lines touch or are the same."""
MAX_RULES = 600


@dataclass(slots=True)
class Table:
    rows: list[list[str]]
    box: tuple[float, float, float, float]


def take_tables(page: Page) -> list[Line | Table]:
    """The page's lines with each ruled table in the place of the lines it holds."""
    upright = _merged([rule for rule in page.rules if rule.y1 - rule.y0 > NEAR and rule.x1 - rule.x0 <= NEAR], "x")
    level = _merged([rule for rule in page.rules if rule.x1 - rule.x0 > NEAR and rule.y1 - rule.y0 <= NEAR], "y")
    found: list[Line | Table] = list(page.lines)
    if not level or not upright or len(level) + len(upright) > MAX_RULES:
        return found
    for group in _connected(upright, level):
        grid = _Grid(*group)
        if len(grid.xs) > 2 and len(grid.ys) > 2:
            found = _replace(found, grid)
    return found


class _Grid:
    def __init__(self, upright: list[Rule], level: list[Rule]) -> None:
        self.upright = upright
        self.level = level
        everything = upright + level
        self.x0 = min(rule.x0 for rule in everything)
        self.x1 = max(rule.x1 for rule in everything)
        self.y0 = min(rule.y0 for rule in everything)
        self.y1 = max(rule.y1 for rule in everything)
        # The outer border may be missing; the ends of the inner lines stand in for it.
        self.xs = _distinct([self.x0, self.x1, *(rule.x0 for rule in upright)])
        self.ys = _distinct([self.y0, self.y1, *(rule.y0 for rule in level)])

    def cell(self, word: Word) -> tuple[int, int] | None:
        """Row and column: the nearest line above and to the left that reaches the word, so merged cells stay whole."""
        x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
        if not (self.x0 - NEAR < x < self.x1 + NEAR and self.y0 - NEAR < y < self.y1 + NEAR):
            return None
        left = max((r.x0 for r in self.upright if r.x0 <= x and r.y0 - NEAR <= y <= r.y1 + NEAR), default=self.x0)
        top = min((r.y0 for r in self.level if r.y0 >= y and r.x0 - NEAR <= x <= r.x1 + NEAR), default=self.y1)
        column = sum(edge <= left + NEAR for edge in self.xs) - 1
        row = sum(edge >= top - NEAR for edge in self.ys) - 1
        return min(max(row, 0), len(self.ys) - 2), min(max(column, 0), len(self.xs) - 2)


def _replace(items: list[Line | Table], grid: _Grid) -> list[Line | Table]:
    cells: list[list[list[str]]] = [[[] for _ in grid.xs[1:]] for _ in grid.ys[1:]]
    rest: list[Line | Table] = []
    place: int | None = None
    for item in items:
        if isinstance(item, Table):
            rest.append(item)
            continue
        outside: list[Word] = []
        for word in item.words:
            cell = grid.cell(word)
            if cell is None:
                outside.append(word)
            else:
                cells[cell[0]][cell[1]].append(word.text)
                place = len(rest) if place is None else place
        if len(outside) == len(item.words):
            rest.append(item)
        elif outside:
            rest.append(Line(outside, item.size, item.bold, item.mono).measure())
    rows = [[join_words(cell) for cell in row] for row in cells]
    rows = [row for row in rows if any(row)]
    used = [column for column in range(len(grid.xs) - 1) if any(row[column] for row in rows)]
    if place is None or len(rows) < 2 or len(used) < 2:
        # A frame or the grid of a chart: the lines stay what they were.
        return items
    rest.insert(place, Table([[row[column] for column in used] for row in rows], (grid.x0, grid.y0, grid.x1, grid.y1)))
    return rest


def join_words(words: list[str]) -> str:
    return " ".join(words).replace("\xad ", "").replace("\xad", "-")


def _distinct(values: list[float]) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > NEAR:
            kept.append(value)
    return kept


def _merged(rules: list[Rule], along: str) -> list[Rule]:
    """Pieces of the same straight line as one: many programs draw a table cell by cell."""
    turned = [(r.x0, r.y0, r.y1) if along == "x" else (r.y0, r.x0, r.x1) for r in rules]
    merged: list[list[float]] = []
    for place, start, end in sorted(turned):
        for line in reversed(merged[-200:]):
            if place - line[0] > NEAR:
                continue
            if start <= line[2] + NEAR and end >= line[1] - NEAR:
                line[1], line[2] = min(line[1], start), max(line[2], end)
                break
        else:
            merged.append([place, start, end])
    return [Rule(p, s, p, e) if along == "x" else Rule(s, p, e, p) for p, s, e in merged]


def _connected(upright: list[Rule], level: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Groups of lines that touch each other: one group is one table."""
    group = list(range(len(upright) + len(level)))

    def root(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    for i, one in enumerate(upright):
        for j, two in enumerate(level, len(upright)):
            across = two.x0 - NEAR <= one.x0 <= two.x1 + NEAR
            if across and one.y0 - NEAR <= two.y0 <= one.y1 + NEAR:
                group[root(i)] = root(j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate(upright + level):
        groups.setdefault(root(index), ([], []))[index >= len(upright)].append(rule)
    return [pair for pair in groups.values() if pair[0] and pair[1]]

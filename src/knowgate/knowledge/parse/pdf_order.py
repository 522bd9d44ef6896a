"""Reading order: columns that were written row by row are parted, blocks that were drawn out of order are sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from knowgate.knowledge.parse.pdfium import Line, Word

Box = tuple[float, float, float, float]
T = TypeVar("T")

FEWEST_ROWS = 5
PROSE = 3
"""Words on each side of a gutter from which the sides are columns of prose and not the cells of a table."""


def part_columns(lines: Sequence[Line]) -> list[Line]:
    """Lines that run across a gutter, row after row, as first the left column and then the right one."""
    result: list[Line] = []
    start = 0
    while start < len(lines):
        end, gutter = _run_across(lines, start)
        rows = lines[start:end]
        sides = [_sides(line, gutter) for line in rows]
        left = [words for words, _ in sides if words]
        right = [words for _, words in sides if words]
        if len(rows) >= FEWEST_ROWS and all(sum(map(len, side)) >= PROSE * len(side) for side in (left, right) if side):
            both = [(line, words) for line, (words, _) in zip(rows, sides, strict=True)]
            both += [(line, words) for line, (_, words) in zip(rows, sides, strict=True)]
            result += [Line(words, line.size, line.bold, line.mono).measure() for line, words in both if words]
        else:
            end = start + 1
            result.append(lines[start])
        start = end
    return result


def _run_across(lines: Sequence[Line], start: int) -> tuple[int, tuple[float, float]]:
    """How far, from a line with a wide gap on, lines leave the same gap free."""
    for low, high in _gaps(lines[start]):
        end = start + 1
        while end < len(lines):
            line = lines[end]
            if line.x1 > low and line.x0 < high:
                inside = [(max(low, a), min(high, b)) for a, b in _gaps(line) if min(high, b) - max(low, a) > line.size]
                if not inside:
                    break
                low, high = inside[0]
            end += 1
        if end - start >= FEWEST_ROWS:
            return end, (low, high)
    return start, (0.0, 0.0)


def _gaps(line: Line) -> list[tuple[float, float]]:
    words = sorted(line.words, key=lambda word: word.x0)
    return [(one.x1, two.x0) for one, two in pairwise(words) if two.x0 - one.x1 > 1.5 * line.size]


def _sides(line: Line, gutter: tuple[float, float]) -> tuple[list[Word], list[Word]]:
    middle = sum(gutter) / 2
    return [word for word in line.words if word.x0 < middle], [word for word in line.words if word.x0 >= middle]


def sort_blocks(blocks: list[T], box_of: Callable[[T], Box]) -> list[T]:
    """The blocks as drawn, unless one lies above an earlier one in the same column: then from top to bottom, column
    by column."""
    boxes = [box_of(block) for block in blocks]
    if len(blocks) > 400 or not _climbs(boxes):
        return blocks
    return [blocks[index] for index in _cut(list(range(len(blocks))), boxes)]


def _climbs(boxes: list[Box]) -> bool:
    for index, one in enumerate(boxes):
        for two in boxes[index + 1 :]:
            shared = min(one[2], two[2]) - max(one[0], two[0])
            if two[1] >= one[3] - 1 and shared > 0.3 * min(one[2] - one[0], two[2] - two[0]):
                return True
    return False


def _cut(indexes: list[int], boxes: list[Box]) -> list[int]:
    """Columns first where a gutter runs through all; else the page is cut across, and neighbouring strips that share
    a gutter stay together, so that a column is read to its end."""
    if len(indexes) < 2:
        return indexes
    columns = _strips(indexes, lambda index: (boxes[index][0], boxes[index][2]))
    if len(columns) > 1:
        return [index for column in columns for index in _cut(column, boxes)]
    strips = _strips(indexes, lambda index: (-boxes[index][3], -boxes[index][1]))
    if len(strips) < 2:
        return sorted(indexes, key=lambda index: (-boxes[index][3], boxes[index][0]))
    groups: list[list[int]] = []
    for strip in strips:
        together = groups[-1] + strip if groups else strip
        if groups and len(_strips(together, lambda index: (boxes[index][0], boxes[index][2]))) > 1:
            groups[-1] = together
        else:
            groups.append(strip)
    return [index for group in groups for index in _cut(group, boxes)]


def _strips(indexes: Iterable[int], span: Callable[[int], tuple[float, float]]) -> list[list[int]]:
    """Groups whose spans do not overlap, in the order of the spans."""
    strips: list[list[int]] = []
    reach = 0.0
    for index in sorted(indexes, key=lambda index: span(index)[0]):
        low, high = span(index)
        if strips and low < reach - 2:
            strips[-1].append(index)
        else:
            strips.append([index])
            reach = high
        reach = max(reach, high)
    return strips

"""The straight lines drawn on a PDF page: what ruled tables are made of."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

MAX_PAGE_PATHS = 5_000
Turn = Callable[[float, float, float, float], tuple[float, float, float, float]]


@dataclass(slots=True)
class Rule:
    """A drawn line, upright or level."""

    x0: float
    y0: float
    x1: float
    y1: float


def read_rules(raw: Any, page: Any, turn: Turn) -> list[Rule]:
    rules: list[Rule] = []
    budget = [MAX_PAGE_PATHS]

    def visit(count: int, get: Callable[[int], Any], matrix: tuple[float, ...], depth: int) -> None:
        for index in range(count):
            item = get(index)
            kind = raw.FPDFPageObj_GetType(item)
            if kind not in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_FORM):
                continue
            budget[0] -= 1
            if budget[0] < 0:
                return
            own = raw.FS_MATRIX()
            raw.FPDFPageObj_GetMatrix(item, own)
            full = _times((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
            if kind == raw.FPDF_PAGEOBJ_PATH:
                rules.extend(Rule(*turn(*box)) for box in _strokes(raw, item, full))
            elif depth:
                visit(raw.FPDFFormObj_CountObjects(item), partial(raw.FPDFFormObj_GetObject, item), full, depth - 1)

    visit(raw.FPDFPage_CountObjects(page), partial(raw.FPDFPage_GetObject, page), (1, 0, 0, 1, 0, 0), 3)
    # A page full of paths is a drawing or a map; what looks like a table there is none.
    return rules if budget[0] >= 0 else []


def _strokes(raw: Any, path: Any, matrix: tuple[float, ...]) -> Iterator[tuple[float, float, float, float]]:
    """Upright and level strokes of a path; a thin filled box counts as one."""
    mode, stroked = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, mode, stroked)
    points: list[tuple[float, float, bool]] = []
    closed = False
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(min(raw.FPDFPath_CountSegments(path), 200)):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        closed = bool(raw.FPDFPathSegment_GetClose(segment))
        a, b, c, d, e, f = matrix
        points.append((a * x.value + c * y.value + e, b * x.value + d * y.value + f, kind == raw.FPDF_SEGMENT_MOVETO))
    if len(points) < 2:
        return
    if stroked.value:
        if closed:
            points.append((*points[0][:2], False))
        for before, here in pairwise(points):
            if not here[2] and (abs(before[0] - here[0]) < 1 or abs(before[1] - here[1]) < 1):
                yield _box(before, here)
    elif mode.value:
        x0, x1 = min(point[0] for point in points), max(point[0] for point in points)
        y0, y1 = min(point[1] for point in points), max(point[1] for point in points)
        if x1 - x0 < 3 or y1 - y0 < 3:
            yield x0, y0, x1, y1


def _box(one: tuple[float, float, bool], two: tuple[float, float, bool]) -> tuple[float, float, float, float]:
    return min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1])


def _times(one: tuple[float, ...], two: tuple[float, ...]) -> tuple[float, ...]:
    a, b, c, d, e, f = one
    p, q, r, s, t, u = two
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u

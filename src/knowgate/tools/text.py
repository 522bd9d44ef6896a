"""Cutting and wording that several tools share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

LONGEST_TEXT = 20_000
"""Characters of a result: well below what clients refuse, and more than a model reads with care."""

T = TypeVar("T")


def cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length] + "..."


def window(text: str, highlights: Sequence[tuple[int, int]], width: int) -> str:
    """The stretch with most of what was searched for; the beginning when nothing is marked."""
    if len(text) <= width:
        return text
    best, most = 0, -1
    for begin, _ in ((0, 0), *highlights):
        start = max(0, min(begin - width // 5, len(text) - width))
        inside = sum(start <= left and right <= start + width for left, right in highlights)
        if inside > most:
            best, most = start, inside
    shown = text[best : best + width]
    return f"{'...' if best else ''}{shown}{'...' if best + width < len(text) else ''}"


def fit(items: Sequence[T], size: Callable[[T], int], room: int = LONGEST_TEXT) -> list[T]:
    """As many from the beginning as have room, one at least."""
    kept: list[T] = []
    for item in items:
        room -= size(item)
        if kept and room < 0:
            break
        kept.append(item)
    return kept


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

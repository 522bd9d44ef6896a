"""Sizes, numbers and times as people say them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path


def size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 10 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def size_of(files: Iterable[Path]) -> int:
    """In bytes, all together; those that vanish meanwhile count for nothing."""
    total = 0
    for file in files:
        with suppress(OSError):
            total += file.stat().st_size
    return total


def counted(number: int, noun: str) -> str:
    """`1 passage`, `2 passages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def some(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c and 148 more`."""
    listed = ", ".join(names[:most])
    return f"{listed} and {len(names) - most} more" if len(names) > most else listed


def ago(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit} ago"
    return "now"


def day(timestamp: float) -> str:
    """In local time; a file may carry any date, also one no calendar knows."""
    try:
        return datetime.fromtimestamp(timestamp).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return ""

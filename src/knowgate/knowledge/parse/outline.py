"""Values (JSON, YAML, TOML) as readable text: one line per value, with the whole path to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.reader import TextBuilder

_BLOCK = 800
_LONGEST_KEY = 100
_DEEPEST_PATH = 10
"""Paths longer than this lose their middle, or a small file nested deep would grow without end."""


def add_outline(builder: TextBuilder, value: object, limit: int) -> None:
    """Adds a heading for every branch at the top and the lines below it; at most `limit` characters."""
    if isinstance(value, dict):
        branches = cast("dict[object, object]", value)
        plain = {key: each for key, each in branches.items() if not isinstance(each, dict | list)}
        limit = _add_lines(builder, plain, (), limit)
        for key, each in branches.items():
            if isinstance(each, dict | list) and each:
                builder.add("heading", _key(key), level=1)
                limit = _add_lines(builder, cast("object", each), (_key(key),), limit)
    else:
        _add_lines(builder, value, (), limit)


def _add_lines(builder: TextBuilder, value: object, path: tuple[str, ...], limit: int) -> int:
    """Lines of one item of a list, or of one key, stay together while they fit a block."""
    lines: list[str] = []
    size = 0
    branch = ""
    for where, leaf in _leaves(value, path):
        line = f"{_path(where)}: {leaf}" if where else leaf
        limit -= len(line)
        if limit < 0:
            raise DocumentError("too_large", "The file holds too many values to read.", "Split it into smaller files.")
        this = where[len(path)] if len(where) > len(path) else ""
        if lines and ((this != branch and size > _BLOCK // 2) or size > 2 * _BLOCK):
            builder.add("text", "\n".join(lines))
            lines, size = [], 0
        branch = this
        lines.append(line)
        size += len(line)
    builder.add("text", "\n".join(lines))
    return limit


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every value with its path, in order. A list of plain values counts as one."""
    waiting: list[tuple[tuple[str, ...], object]] = [(path, value)]
    while waiting:
        where, each = waiting.pop()
        if isinstance(each, dict) and each:
            items = cast("dict[object, object]", each).items()
            waiting.extend([(_deeper(where, _key(key)), below) for key, below in items][::-1])
        elif isinstance(each, list) and each:
            entries = cast("list[object]", each)
            if any(isinstance(below, dict | list) for below in entries) or len(entries) > 50:
                waiting.extend([(_deeper(where, f"[{i}]"), below) for i, below in enumerate(entries, 1)][::-1])
            else:
                yield where, ", ".join(map(_scalar, entries))
        elif each is not None and each != "" and not isinstance(each, dict | list):
            yield where, _scalar(each)


def _deeper(path: tuple[str, ...], key: str) -> tuple[str, ...]:
    if len(path) >= _DEEPEST_PATH:
        half = _DEEPEST_PATH // 2
        path = (*path[: half - 1], "…", *path[half + 1 :])
    return (*path, key)


def _path(path: tuple[str, ...]) -> str:
    return ".".join(path).replace(".[", "[")


def _key(key: object) -> str:
    return " ".join(str(key).split())[:_LONGEST_KEY]


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value).strip()

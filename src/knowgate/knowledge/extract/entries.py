"""Settings, one line per value: what a configuration file or a piece of one says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from knowgate.knowledge.parse.yaml import load_documents

_LINE = re.compile(r"[ \t]*([\w$][^\s:=#{}]*)[ \t]*[:=][ \t]*(\S.*)")
_DEEPEST = 12
_MOST = 5000
_NESTED = 3
_VARIABLE = re.compile(r"\$\{[^{}:]*:?-?([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    """Keys joined by dots, as in `services.web.image`."""
    value: str
    start: int
    end: int
    """Where in the document's text the setting stands."""

    @property
    def keys(self) -> list[str]:
        return self.path.split(".")


def plain(value: str) -> str:
    """A variable stands for its default value, if it has one: `${HOST:db}` is db."""
    for _ in range(_NESTED):
        if "${" not in value:
            break
        value = _VARIABLE.sub(r"\1", value)
    return value


def entries_of(text: str, start: int, end: int) -> list[Entry]:
    """Of lines such as `a.b: value` and `a.b=value`."""
    found: list[Entry] = []
    at = start
    for line in text[start:end].split("\n"):
        if match := _LINE.match(line):
            found.append(Entry(match[1], match[2].strip(), at, at + len(line)))
        at += len(line) + 1
    return found


def looks_like_settings(text: str) -> bool:
    """Properties, environment files and the like: nearly every line is a key and a value, and the keys are no words."""
    lines = [line for line in text[:4000].split("\n") if line.strip() and line.lstrip()[0] not in "#;!["]
    hits = sum(1 for line in lines if (match := _LINE.match(line)) and (not match[1].isalpha() or "=" in line))
    return len(lines) > 0 and hits >= 0.8 * len(lines)


def yaml_entries(text: str, start: int, end: int) -> list[Entry]:
    """Of a piece of YAML inside a document; nothing when it is none."""
    source = text[start:end]
    try:
        documents = load_documents(source)
    except (ValueError, RecursionError):
        return []
    return [Entry(path, value, start, end) for each in documents for path, value in _leaves(each)][:_MOST]


def _leaves(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and len(path) < _DEEPEST:
        for name, below in cast("dict[object, object]", value).items():
            yield from _leaves(below, (*path, str(name)))
    elif isinstance(value, list) and len(path) < _DEEPEST:
        items = cast("list[object]", value)
        if any(isinstance(each, dict | list) for each in items):
            for number, each in enumerate(items, 1):
                yield from _leaves(each, (*path[:-1], f"{path[-1] if path else ''}[{number}]"))
        else:
            yield ".".join(path), ", ".join(map(str, items))
    elif path and value is not None and not isinstance(value, dict | list):
        yield ".".join(path), str(value)

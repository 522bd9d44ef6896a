"""The part of JSONPath (RFC 9535) that overlays are written in: names, indexes, wildcards, descent and filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from knowgate.apis.operation import Json

Node = tuple[Json, str | int | None, Json]
"""The holder of a value, the key or index it has there, and the value. The root has no holder."""
Select = Callable[[Json], Iterator[Node]]

_STEP = re.compile(
    r"""(?P<deep>\.\.)?(?:(?P<dot>\.)?(?P<name>[A-Za-z_\u0080-\uffff$][\w$-]*|\*)|\[\s*(?P<inside>"""
    r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\]"'\[]|\[[^\]]*\])+)\s*\])"""
)
_TEST = re.compile(
    r"""\s*@(?P<path>(?:\.[\w$-]+|\[\s*(?:"[^"]*"|'[^']*'|\d+)\s*\])*)\s*(?:(?P<sign>==|!=)\s*(?P<value>.+?))?\s*"""
)
_MATCHES = 100_000


@dataclass(frozen=True, slots=True)
class _Step:
    deep: bool
    select: Select


def find(path: str, root: Json) -> list[Node]:
    """The nodes that the path selects; ValueError says what in the path is not understood."""
    nodes: list[Node] = [(None, None, root)]
    for step in _steps(path):
        below = (each for node in nodes for each in (_descend(node) if step.deep else [node]))
        nodes = []
        for _, _, value in below:
            nodes.extend(step.select(value))
            if len(nodes) > _MATCHES:
                raise ValueError(f"selects more than {_MATCHES:,} places")
    return nodes


def _steps(path: str) -> Iterator[_Step]:
    text = path.strip()
    if not text.startswith("$"):
        raise ValueError("begins without $")
    at = 1
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or (match["name"] is not None and (match["dot"] is None) == (match["deep"] is None)):
            raise ValueError(f"is not understood from {text[at : at + 20]!r} on")
        yield _Step(match["deep"] is not None, _selector(match["name"], match["inside"]))
        at = match.end()


def _selector(name: str | None, inside: str | None) -> Select:
    if name == "*" or (inside is not None and inside.strip() == "*"):
        return _members
    if name is not None:
        return _named(name)
    text = (inside or "").strip()
    if text.startswith("?"):
        return _filter(text[1:])
    if re.fullmatch(r"-?\d{1,9}", text):
        return _indexed(int(text))
    return _named(_literal_text(text))


def _members(value: Json) -> Iterator[Node]:
    if isinstance(value, dict):
        for key, each in cast("dict[str, Json]", value).items():
            yield value, key, each
    elif isinstance(value, list):
        for number, each in enumerate(cast("list[Json]", value)):
            yield value, number, each


def _descend(node: Node) -> Iterator[Node]:
    yield node
    for below in _members(node[2]):
        yield from _descend(below)


def _named(name: str) -> Select:
    def select(value: Json) -> Iterator[Node]:
        if isinstance(value, dict) and name in value:
            yield value, name, cast("dict[str, Json]", value)[name]

    return select


def _indexed(index: int) -> Select:
    def select(value: Json) -> Iterator[Node]:
        members = list(_members(value)) if isinstance(value, list) else []
        if -len(members) <= index < len(members):
            yield members[index]

    return select


def _filter(text: str) -> Select:
    """Tests on members, joined by && and || (which binds less)."""
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    either = [[_test(each) for each in both.split("&&")] for both in inner.split("||")]

    def select(value: Json) -> Iterator[Node]:
        for node in _members(value):
            if any(all(test(node[2]) for test in tests) for tests in either):
                yield node

    return select


def _test(text: str) -> Callable[[Json], bool]:
    match = _TEST.fullmatch(text)
    if match is None:
        raise ValueError(f"has a filter that is not understood: {text.strip()[:40]!r}")
    steps = list(_steps("$" + match["path"]))
    wanted = _literal(match["value"]) if match["sign"] else None

    def test(value: Json) -> bool:
        found = [value]
        for step in steps:
            found = [each for one in found for _, _, each in step.select(one)]
        if match["sign"] is None:
            return bool(found)
        same = bool(found) and type(found[0]) is type(wanted) and found[0] == wanted
        return same == (match["sign"] == "==")

    return test


def _literal(text: str) -> Json:
    constants = {"true": True, "false": False, "null": None}
    if text in constants:
        return constants[text]
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d+\.\d+", text) else _literal_text(text)


def _literal_text(text: str) -> str:
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"":
        raise ValueError(f"is not understood at {text[:40]!r}")
    return re.sub(r"\\(.)", r"\1", text[1:-1])

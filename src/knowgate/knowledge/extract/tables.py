"""Tables: a row is about the name it begins with, and a column may say how the others relate to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from knowgate.knowledge.extract.kinds import Kind, Verb
from knowgate.knowledge.extract.prose import find_names

_ROW_OF = re.compile(
    r"^(?:micro-?)?(?:(service|component|module|application|app|system|container|server|subsystem)"
    r"|(database|store|cache)|(queue|broker|topic|event|channel|stream)|(team|owner|squad)|(protocol))s?(?: name)?$",
    re.I,
)
_KINDS: tuple[Kind, ...] = ("service", "database", "queue", "team", "protocol")
_COLUMNS: tuple[tuple[re.Pattern[str], Verb, bool], ...] = (
    (re.compile(r"\b(?:owners?|owned|teams?|squads?|maintain\w*)\b", re.I), "owns", True),
    (re.compile(r"\b(?:owns|responsible for)\b", re.I), "owns", False),
    (re.compile(r"\b(?:producers?|publishers?|(?:published|produced|written|emitted) by)\b", re.I), "produces", True),
    (re.compile(r"\b(?:consumers?|subscribers?|(?:consumed|read) by)\b", re.I), "consumes", True),
    (re.compile(r"\b(?:used|called|needed|required) by\b", re.I), "uses", True),
    (re.compile(r"depend|require|needs|upstream|prerequisite", re.I), "depends", False),
    (re.compile(r"consume|subscribe|reads?\b|listens|input", re.I), "consumes", False),
    (re.compile(r"produce|publish|writes?\b|emits|output", re.I), "produces", False),
    (
        re.compile(
            r"uses?\b|calls|talks|communicat|connect|database|storage|data ?store|protocol|transport|backed", re.I
        ),
        "uses",
        False,
    ),
)

_TELLS = re.compile(r"(?:description|purpose|responsibilit|summary|role|what)", re.I)


@dataclass(frozen=True, slots=True)
class Cell:
    start: int
    end: int


class ColumnRelation(NamedTuple):
    verb: Verb
    back: bool
    """Whether those in the column do it: an owner owns what the row is about."""


def rows_of(text: str, start: int, end: int) -> list[list[Cell]]:
    """Cells of a table written with bars or tabs, without the rule below its head."""
    rows: list[list[Cell]] = []
    at = start
    for line in text[start:end].split("\n"):
        mark = "|" if "|" in line else "\t"
        if mark in line and line.strip(" |:-\t=+"):
            rows.append(_cells(text, line, at, mark))
        at += len(line) + 1
    return rows


def _cells(text: str, line: str, at: int, mark: str) -> list[Cell]:
    cells: list[Cell] = []
    low = at
    for piece in line.split(mark):
        high = low + len(piece)
        body = text[low:high]
        cells.append(Cell(low + len(body) - len(body.lstrip()), low + len(body.rstrip())))
        low = high + 1
    if cells and line.startswith("|"):
        del cells[0]
    if cells and line.rstrip().endswith("|"):
        cells.pop()
    return cells


def row_kind(header: str) -> Kind | None:
    """What the names of a column are, by its head; None when it does not say."""
    match = _ROW_OF.match(header.strip("*`_ "))
    return _KINDS[match.lastindex - 1] if match and match.lastindex else None


def is_description(header: str) -> bool:
    return bool(_TELLS.match(header.strip("*`_ ")))


def column_relation(header: str) -> ColumnRelation | None:
    return next((ColumnRelation(verb, back) for pattern, verb, back in _COLUMNS if pattern.search(header)), None)


def cell_name(text: str, cell: Cell, lower: frozenset[str]) -> tuple[str, int, int] | None:
    """The one name a first cell holds."""
    said = text[cell.start : cell.end]
    link = re.match(r"[*`_]*\[([^\]]+)\]\(", said)
    start = cell.start + (link.start(1) if link else len(said) - len(said.lstrip("*`_ ")))
    body = (link[1] if link else said.strip("*`_ ")).strip("*`_ ")
    if not body or len(body) > 60 or len(body.split()) > 4:
        names = find_names(text, cell.start, cell.end, lower)
        return (names[0].text, names[0].start, names[0].end) if names else None
    start = text.find(body, start, cell.end)
    return (body, start, start + len(body)) if start >= 0 else None

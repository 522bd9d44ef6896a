"""Lines such as `Owner: Payments team` or `- **Depends on:** Redis`: a label, and what it says of the subject."""

from __future__ import annotations

import re
from typing import NamedTuple

from knowgate.knowledge.extract.kinds import kind_of
from knowgate.knowledge.extract.tables import column_relation
from knowgate.knowledge.extract.words import LABELS

_LABEL = re.compile(
    r"^[ \t]*([-*+•][ ]+)?[*_]{0,2}([A-Z][\w-]*(?: [\w-]+){0,2})[*_]{0,2}:[*_]{0,2}[ \t]+(\S[^\n]*)", re.M
)


class Label(NamedTuple):
    said: str
    at: int
    start: int
    end: int
    """Where its value stands."""


def labels(text: str, start: int, end: int) -> list[Label]:
    """In a list an item's first words may be a name, so there a label has to be a known one."""
    lines = list(_LABEL.finditer(text, start, end))
    several = sum(1 for line in lines if not line[1]) > 1
    return [
        Label(line[2], line.start(2), *line.span(3))
        for line in lines
        if column_relation(line[2]) or line[2].lower() in LABELS
        or (several and not line[1] and kind_of(line[2]) == "concept")
    ]  # fmt: skip

"""How much of a conversation a list of tools takes up."""

from __future__ import annotations

import math
import re

BUDGET = 8000
"""Tokens that tools may take up before they are found by searching."""
MOST = 200
"""More operations than this are over the budget without counting."""
_PIECE = re.compile(r"[A-Za-z]+|\d+|[^\w\s]+|_")


def tokens(text: str) -> int:
    """Within a few per cent of what models count: pieces of words, runs of marks."""
    return sum(math.ceil(len(each) / 7) if each[0].isalnum() else 1 for each in _PIECE.findall(text))

"""What only a person may say yes to."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from knowgate.errors import ForbiddenError


def ask_a_person(
    question: str, fix: str = "Run it in a terminal.", *, told: Callable[[str], None] | None = None
) -> None:
    """Goes on when he says yes; `told` is given the code of why not."""
    if sys.stdin is None or not sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison] - closed, it is
        if told:
            told("no_person")
        raise ForbiddenError("no_person", "A person says yes, at a terminal.", fix)
    try:
        typer.confirm(question, abort=True, err=True)
    except typer.Abort:
        if told:
            told("declined")
        raise

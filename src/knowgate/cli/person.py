"""What only a person may say yes to."""

from __future__ import annotations

import sys

import typer

from knowgate.errors import ForbiddenError


def ask_a_person(question: str, fix: str = "Run it in a terminal.") -> None:
    """Goes on when he says yes."""
    if not sys.stdin.isatty():
        raise ForbiddenError("no_person", "A person says yes, at a terminal.", fix)
    typer.confirm(question, abort=True, err=True)

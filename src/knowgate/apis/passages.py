"""An API as a document: one passage for each operation, so that they are found and cited like everything else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from knowgate.apis.operation import Operation

RECIPE = "operations/2"
"""Another one means to write all passages again."""
_LONGEST_DESCRIPTION = 250


@dataclass(frozen=True, slots=True)
class Passage:
    heading: str
    text: str
    """Without the heading."""


def passage_of(operation: Operation) -> Passage:
    return Passage(f"{operation.method} {operation.path}", "\n".join(filter(None, _lines(operation))))


def _lines(operation: Operation) -> Iterator[str]:
    """What it does first, and not too much: a vector of many words is about none of them."""
    yield operation.summary
    yield _beginning(operation.description)
    yield f"Operation: {operation.id}"
    if operation.tags:
        yield f"Tags: {', '.join(operation.tags)}"


def _beginning(text: str) -> str:
    if len(text) <= _LONGEST_DESCRIPTION:
        return text
    return text[:_LONGEST_DESCRIPTION].rsplit(maxsplit=1)[0] + " …"

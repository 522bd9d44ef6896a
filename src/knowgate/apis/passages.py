"""An API as a document: one passage for each operation, so that they are found and cited like everything else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from knowgate.apis.operation import Operation
from knowgate.apis.schemas import fields_of

RECIPE = "operations/1"
"""Another one means to write all passages again."""
_LONGEST_DESCRIPTION = 600
_MOST_NAMES = 30


@dataclass(frozen=True, slots=True)
class Passage:
    heading: str
    text: str
    """Without the heading."""


def passage_of(operation: Operation) -> Passage:
    return Passage(f"{operation.method} {operation.path}", "\n".join(filter(None, _lines(operation))))


def _lines(operation: Operation) -> Iterator[str]:
    yield operation.summary
    yield f"Operation: {operation.id}"
    if operation.tags:
        yield f"Tags: {', '.join(operation.tags)}"
    yield _beginning(operation.description)
    names = [parameter.name for parameter in operation.parameters]
    for body in operation.bodies[:1]:
        names += fields_of(body.schema, operation.defs)
    if names:
        yield f"Arguments: {', '.join(dict.fromkeys(names[:_MOST_NAMES]))}"


def _beginning(text: str) -> str:
    if len(text) <= _LONGEST_DESCRIPTION:
        return text
    return text[:_LONGEST_DESCRIPTION].rsplit(maxsplit=1)[0] + " …"

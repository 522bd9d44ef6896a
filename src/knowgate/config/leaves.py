"""The settings tree as a list: one leaf for each thing that can be set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from knowgate.config.settings import Expected, Section, Settings

Kind = Literal["text", "secret", "path", "whole", "number", "switch", "choice"]

_KINDS: dict[object, Kind] = {
    str: "text",
    SecretStr: "secret",
    Path: "path",
    int: "whole",
    float: "number",
    bool: "switch",
}


@dataclass(frozen=True, slots=True)
class Leaf:
    path: tuple[str, ...]
    kind: Kind
    many: bool
    """A list of that kind."""
    choices: tuple[str, ...]
    item: str
    """What a value must be, in words, or one item of the list."""
    default: object
    """None too for a default that is made on the spot."""
    example: object
    description: str

    @property
    def key(self) -> str:
        return ".".join(self.path)

    @property
    def expected(self) -> str:
        return f"a list, each item {self.item}" if self.many else self.item

    @property
    def env(self) -> str:
        return "KNOWGATE_" + "_".join(self.path).upper()


@dataclass(frozen=True, slots=True)
class Table:
    path: tuple[str, ...]
    description: str

    @property
    def key(self) -> str:
        return ".".join(self.path)


def leaves() -> tuple[Leaf, ...]:
    return tuple(node for node in nodes() if isinstance(node, Leaf))


def nodes(model: type[Section] = Settings, above: tuple[str, ...] = ()) -> Iterator[Leaf | Table]:
    """Leaves in the order of the models, each table right before its own."""
    for name, field in model.model_fields.items():
        path = (*above, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield Table(path, (field.annotation.__doc__ or "").strip())
            yield from nodes(field.annotation, path)
        else:
            yield _leaf(path, field)


def _leaf(path: tuple[str, ...], field: FieldInfo) -> Leaf:
    annotation, marks = _unwrap(field.annotation)
    marks = [*field.metadata, *marks]
    many = get_origin(annotation) is tuple
    if many:
        annotation, item_marks = _unwrap(get_args(annotation)[0])
        marks += item_marks
    choices = get_args(annotation) if get_origin(annotation) is Literal else ()
    kind = "choice" if choices else _KINDS[annotation]
    default = None if field.default_factory else field.default
    return Leaf(
        path=path,
        kind=kind,
        many=many,
        choices=choices,
        item=_words(kind, choices, marks),
        default=default,
        example=field.examples[0] if field.examples else default,
        description=field.description or "",
    )


def _unwrap(annotation: object) -> tuple[object, list[object]]:
    """A type without `| None` and `Annotated`, and what `Annotated` said of it."""
    marks: list[object] = []
    while True:
        if get_origin(annotation) in (Union, UnionType):
            annotation = next(part for part in get_args(annotation) if part is not NoneType)
        elif get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            for mark in more:
                marks += mark.metadata if isinstance(mark, FieldInfo) else [mark]
        else:
            return annotation, marks


def _words(kind: Kind, choices: tuple[str, ...], marks: list[object]) -> str:
    for mark in marks:
        if isinstance(mark, Expected):
            return mark.words
    bounds = {name: getattr(mark, name) for mark in marks for name in ("ge", "le", "min_length") if hasattr(mark, name)}
    between = f" from {bounds['ge']} to {bounds['le']}" if "ge" in bounds else ""
    return {
        "text": "text that is not empty" if "min_length" in bounds else "text",
        "secret": "text that is not empty",
        "path": "a path",
        "whole": f"a whole number{between}",
        "number": f"a number{between}",
        "switch": "true or false",
        "choice": f"one of {', '.join(choices)}",
    }[kind]

"""The settings tree as a list: one leaf for each thing that can be set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from knowgate.config.kinds import Expected, Section
from knowgate.config.settings import Settings

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
    section: tuple[str, ...] = ()
    """The path of the section that people have named, if it is a setting of one."""

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


@dataclass(frozen=True, slots=True)
class Named:
    """A table of sections, all of one kind, that people give their own names."""

    path: tuple[str, ...]
    model: type[Section]
    description: str

    @property
    def key(self) -> str:
        return ".".join(self.path)

    def leaves(self, name: str) -> list[Leaf]:
        section = (*self.path, name)
        found = (node for node in nodes(self.model, section) if isinstance(node, Leaf))
        return [replace(leaf, section=section) for leaf in found]


def leaves(*trees: Mapping[str, Any]) -> tuple[Leaf, ...]:
    """Those that are always there, and those of the sections that the trees name."""
    found: list[Leaf] = []
    for node in nodes():
        if isinstance(node, Leaf):
            found.append(node)
        elif isinstance(node, Named):
            names = dict.fromkeys(name for tree in trees for name in _names(tree, node.path))
            found += [leaf for name in names for leaf in node.leaves(name)]
    return tuple(found)


def named() -> list[Named]:
    return [node for node in nodes() if isinstance(node, Named)]


def nodes(model: type[Section] = Settings, above: tuple[str, ...] = ()) -> Iterator[Leaf | Table | Named]:
    """Leaves in the order of the models, each table right before its own."""
    for name, field in model.model_fields.items():
        path = (*above, field.alias or name)
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, Section):
            yield Table(path, (annotation.__doc__ or "").strip())
            yield from nodes(annotation, path)
        elif get_origin(annotation) is Mapping:
            yield Named(path, get_args(annotation)[1], field.description or "")
        else:
            yield _leaf(path, field)


def _names(tree: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    for name in path:
        below: object = tree.get(name)
        if not isinstance(below, Mapping):
            return []
        tree = cast("Mapping[str, Any]", below)
    return list(tree)


def _leaf(path: tuple[str, ...], field: FieldInfo) -> Leaf:
    annotation, marks = _unwrap(field.annotation)
    marks = [*field.metadata, *marks]
    many = get_origin(annotation) is tuple
    if many:
        annotation, item_marks = _unwrap(get_args(annotation)[0])
        marks += item_marks
    choices = get_args(annotation) if get_origin(annotation) is Literal else ()
    kind = "choice" if choices else _KINDS[annotation]
    default = None if field.default_factory or field.is_required() else field.default
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

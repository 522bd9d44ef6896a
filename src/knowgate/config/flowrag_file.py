"""Reading a JSON file of settings: what is wrong is an error with its line, what is unknown a warning with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import ValidationError

from knowgate.config.flowrag_model import Part
from knowgate.config.json_lines import json_lines
from knowgate.config.lines import Place
from knowgate.config.origins import Origin
from knowgate.config.problems import Problem, refusal, shown, unknown
from knowgate.errors import InputError

_MOST_BYTES = 1_000_000
_OUR_ADVICE = "Remove it; `knowgate config` lists every setting."
_ADVICE = "Remove it, or check its spelling."

Model = TypeVar("Model", bound=Part)


@dataclass(frozen=True, slots=True)
class JsonFile:
    path: Path
    tree: Mapping[str, Any]
    lines: Mapping[Place, int]

    def parse(self, model: type[Model]) -> tuple[Model, list[str]]:
        """The values, and a warning for each key that means nothing."""
        unknowns = [unknown(self.origin(path), path, _keys(model)) for path in _unknown(self.tree, model)]
        warnings = [f"{each.where}: {each.text} {each.fix.replace(_OUR_ADVICE, _ADVICE)}" for each in unknowns]
        try:
            return model.model_validate_json(json.dumps(self.tree), strict=True), warnings
        except ValidationError as error:
            # Never the input: it may be a secret.
            details = error.errors(include_url=False, include_context=False, include_input=False)
            raise refusal([self._problem(detail["loc"], detail["msg"]) for detail in details]) from None

    def origin(self, place: Place) -> Origin:
        """The line of the place, or of what is nearest above it."""
        above = (place[:length] for length in range(len(place), 0, -1))
        return Origin("file", self.path, next((self.lines[each] for each in above if each in self.lines), 1))

    def _problem(self, place: Place, message: str) -> Problem:
        said = message.removeprefix("Value error, ").removeprefix("Input ").replace("Field required", "is missing")
        text = f"{shown([str(part) for part in place])}: {said}."
        return Problem("bad_setting", self.origin(place), text, "Correct it.")


def read_json(path: Path) -> JsonFile | None:
    """None when there is no such file."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        fix = "Give this user the right to read it, or name another file."
        raise InputError("config_unreadable", f"{path}: It cannot be read ({error.strerror}).", fix) from None
    if len(content) > _MOST_BYTES:
        fix = "Name a file with settings, not with data."
        raise InputError("config_too_large", f"{path}: It is larger than 1 MB.", fix)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        fix = f"Save {path.name} again with the encoding UTF-8."
        raise InputError("config_not_utf8", f"{path}:{line}: It is not UTF-8 text.", fix) from None
    try:
        tree = json.loads(text)
        lines = json_lines(text)
    except json.JSONDecodeError as error:
        fix = "Correct it; JSON has double quotes, no comments and no comma after the last item."
        raise InputError("config_syntax", f"{path}:{error.lineno}: This is not JSON: {error.msg}.", fix) from None
    except (RecursionError, ValueError):
        fix = "These settings have few levels and short numbers."
        raise InputError("config_syntax", f"{path}:1: It is nested too deeply, or a number is too long.", fix) from None
    if not isinstance(tree, dict):
        fix = "Begin it with { and end it with }."
        raise InputError("config_syntax", f"{path}:1: This is not a JSON object.", fix)
    return JsonFile(path, cast("dict[str, Any]", tree), lines)


def _unknown(tree: Mapping[str, Any], model: type[Part], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    inner = _inner(model)
    for name, value in tree.items():
        path = (*above, name)
        if name not in inner:
            yield path
        elif isinstance(value, dict) and (below := inner[name]):
            yield from _unknown(cast("dict[str, Any]", value), below, path)


def _keys(model: type[Part], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    keys: list[tuple[str, ...]] = []
    for name, below in _inner(model).items():
        keys += [(*above, name), *(_keys(below, (*above, name)) if below else [])]
    return keys


def _inner(model: type[Part]) -> dict[str, type[Part] | None]:
    """The keys of a model as they are written, and the model of those that have keys themselves."""
    return {field.alias or name: _part(field.annotation) for name, field in model.model_fields.items()}


def _part(annotation: object) -> type[Part] | None:
    if get_origin(annotation) in (Union, UnionType):
        return next((part for each in get_args(annotation) if (part := _part(each))), None)
    return annotation if isinstance(annotation, type) and issubclass(annotation, Part) else None

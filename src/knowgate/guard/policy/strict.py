"""From a file's text to its form, or to an error that names the line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

import ryaml
from pydantic import BaseModel, RootModel, ValidationError

from knowgate.errors import InputError
from knowgate.guard.policy.lines import line_of

Place = Sequence[str | int]
T = TypeVar("T", bound=BaseModel)
_MOST_CHARACTERS = 1_000_000
_MOST_PROBLEMS = 10
_FIX = "Correct it; `knowgate policy init FILE` writes a commented example."


def parse(kind: type[T], text: str, file: str) -> T:
    tree = read_yaml(text, file)
    try:
        return kind.model_validate(tree)
    except ValidationError as error:
        problems = [_problem(kind, one, text, file) for one in error.errors(include_url=False)[:_MOST_PROBLEMS]]
        if len(problems) == 1:
            raise problems[0] from None
        lines = "".join(f"\n  {each.message} {each.fix}" for each in problems)
        raise InputError(problems[0].code, f"{file} has {len(problems)} mistakes:{lines}", "Correct these.") from None


def read_yaml(text: str, file: str) -> Any:
    if len(text) > _MOST_CHARACTERS:
        raise InputError("policy_too_large", f"{file}: It is larger than 1 MB.", "Split it with includes.")
    try:
        return ryaml.loads(text)  # pyright: ignore[reportPrivateImportUsage]
    except ValueError as error:
        raise InputError("policy_syntax", f"{file}: This is not YAML: {error}.", _FIX) from None


def refuse(code: str, text: str, file: str, place: Place, message: str, fix: str = _FIX) -> InputError:
    return InputError(code, f"{_where(text, file, place)}: {message}", fix)


def _where(text: str, file: str, place: Place) -> str:
    line = line_of(text, place)
    return f"{file}:{line}" if line else file


def _problem(kind: Any, error: Any, text: str, file: str) -> InputError:
    place: Place = [part for part in error["loc"] if part != "[key]"]
    where = _where(text, file, place)
    shown = _shown(place)
    if error["type"] == "extra_forbidden":
        known = _keys_at(kind, place[:-1])
        near = get_close_matches(str(place[-1]), known, n=1)
        fix = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
        return InputError("policy_unknown_key", f"{where}: There is no key {shown}.", fix)
    if error["type"] == "value_error":
        return InputError("policy_bad_value", f"{where}: {shown}: {_sentence(str(error['ctx']['error']))}", _FIX)
    fix = "Put it in quotes." if error["type"] == "string_type" else _FIX
    message = re.sub("dictionary or instance of .*", "table of keys", error["msg"])
    return InputError("policy_bad_value", f"{where}: {shown}: {_sentence(message[0].lower() + message[1:])}", fix)


def _sentence(text: str) -> str:
    return text if text.endswith(("?", ".")) else f"{text}."


def _shown(place: Place) -> str:
    """rules[2].deny.reason"""
    text = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    return "".join(char if char.isprintable() else "?" for char in text) or "the file"


def _keys_at(kind: Any, place: Place) -> list[str]:
    model = _model_in(kind)
    for part in place:
        if model is not None and part in model.model_fields:
            model = _model_in(model.model_fields[str(part)].annotation)
    return list(model.model_fields) if model is not None else []


def _model_in(kind: Any) -> type[BaseModel] | None:
    if isinstance(kind, type) and issubclass(kind, RootModel):
        return _model_in(kind.model_fields["root"].annotation)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    return next((found for inner in get_args(kind) if (found := _model_in(inner))), None)

"""From the arguments of a call to a tool's input, or to words about what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from knowgate.errors import InputError
from knowgate.tools.tool import Given, Input

_MUST_BE = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "string": "a text",
    "list": "a list",
    "tuple": "a list",
    "bool": "true or false",
}
"""By the first part of the validator's name for what is wrong."""
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}


def read_input(model: type[Input], arguments: Mapping[str, Any]) -> Input:
    try:
        # A null stands for what was left out: some clients send every name they know.
        return model.model_validate({name: value for name, value in arguments.items() if value is not None})
    except ValidationError as error:
        raise in_words(model, error) from None


def in_words(model: type[Given], error: ValidationError) -> InputError:
    wrong = error.errors(include_url=False)[0]
    kind, place = wrong["type"], ".".join(map(str, wrong["loc"]))
    known = [field.alias or name for name, field in model.model_fields.items()]
    if kind == "extra_forbidden":
        near = get_close_matches(place, known, n=1)
        return InputError(
            "unknown_argument",
            f"There is no argument {place}.",
            f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}.",
        )
    if kind in ("missing", "string_too_short"):
        return InputError("missing_argument", f"{place} is required.", f"Call again with {place}.")
    given = f"{wrong['input']!r:.60}"
    limits: Mapping[str, Any] = wrong.get("ctx", {})
    if kind == "literal_error":
        return InputError("bad_argument", f"{place} is {given}.", f"Use {limits['expected']}.")
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return InputError("bad_argument", f"{place} is {given}.", f"Use {words} {limits[bound]:g}.")
    if kind == "string_too_long":
        return InputError("bad_argument", f"{place} is too long.", f"Use at most {limits['max_length']} characters.")
    if kind == "string_pattern_mismatch":
        return InputError("bad_argument", f"{place} is {given}.", f"It must match {limits['pattern']!r}.")
    wanted = _MUST_BE.get(kind.partition("_")[0])
    return InputError("bad_argument", f"{place} is {given}.", f"It must be {wanted}." if wanted else f"{wrong['msg']}.")

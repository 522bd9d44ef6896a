"""From what was written to what was meant, and back to how it is written in TOML."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import cast

from pydantic import SecretStr

from knowgate.config.leaves import Leaf
from knowgate.config.origins import Given, Origin
from knowgate.config.problems import Problem
from knowgate.config.variables import BadReference, Variables

_YES = ("true", "1", "yes", "on")
_NO = ("false", "0", "no", "off")


def convert(leaf: Leaf, given: Given, variables: Variables) -> object:
    """The typed value, or the Problem with it. What has the wrong type is passed on for the models to judge."""
    raw = given.raw
    try:
        if isinstance(raw, str):
            text = variables.expand(raw)
            # A list in the environment is one text; in a file that is a mistake.
            if leaf.many and given.origin.kind != "file":
                raw = [part for part in map(str.strip, text.split(",")) if part]
            elif given.origin.kind != "file":
                raw = _from_text(leaf, text)
            else:
                raw = text
        elif isinstance(raw, list | tuple):
            items = cast("Sequence[object]", raw)
            raw = [variables.expand(item) if isinstance(item, str) else item for item in items]
    except BadReference as bad:
        return Problem(bad.code, given.origin, f"{leaf.key}: {bad.text}", bad.fix)
    if leaf.many and isinstance(raw, list):
        return tuple(_one(leaf, item, given.base) for item in cast("list[object]", raw))
    return _one(leaf, raw, given.base)


def _from_text(leaf: Leaf, text: str) -> object:
    try:
        match leaf.kind:
            case "whole":
                return int(text)
            case "number":
                return float(text)
            case "switch":
                word = text.strip().lower()
                return True if word in _YES else False if word in _NO else text
            case _:
                return text
    except ValueError:
        return text


def _one(leaf: Leaf, value: object, base: Path) -> object:
    if leaf.kind == "path" and isinstance(value, str | Path):
        return _absolute(value, base)
    if leaf.kind == "secret" and isinstance(value, str):
        return SecretStr(value)
    return value


def _absolute(value: str | Path, base: Path) -> object:
    if not str(value).strip() or "\0" in str(value):
        return value if isinstance(value, str) else str(value)
    try:
        path = Path(value).expanduser()
    except RuntimeError:  # ~name of a user nobody knows
        return str(value)
    # Not resolve(): a symbolic link stays what the user called it.
    return Path(os.path.abspath(base / path))  # noqa: PTH100


def mismatch(leaf: Leaf, value: object, origin: Origin, item: int | None = None) -> Problem:
    """A value, or one item of a list, of the wrong type or out of bounds: what it must be, and one that is right."""
    name, expected = (leaf.key, leaf.expected) if item is None else (f"{leaf.key}, item {item + 1},", leaf.item)
    seen = "" if leaf.kind == "secret" else _brief(value)
    found = f"{name} is {seen}, but" if seen else name
    near = get_close_matches(value, leaf.choices, n=1) if isinstance(value, str) else []
    example = near[0] if near else leaf.example
    match origin.kind:
        case "env" | "dotenv":
            write = f"{leaf.env}={env_text(example)}"
        case "flag":
            write = env_text(example)
        case _:
            write = f"{leaf.path[-1]} = {toml_text(example)}"
    return Problem("bad_setting", origin, f"{found} must be {expected}.", f"Write for example {write}")


def _brief(value: object) -> str:
    """For a message; nothing if it may hold a secret."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a huge number"
    text = toml_text(value)
    if "@" in text:
        return ""  # a password may stand before it
    return text if len(text) <= 60 else f"{text[:57]}..."


def toml_text(value: object) -> str:
    """A value as TOML; a secret stays hidden."""
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(int(value))
        case int() | float():
            return str(value)
        case list() | tuple():
            items = cast("Sequence[object]", value)
            return f"[{', '.join(map(toml_text, items))}]"
        case str() | PurePath() | SecretStr():
            return _quoted(str(value))
        case _:
            return str(value)


def _quoted(text: str) -> str:
    if "\\" in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    return "".join(map(_printable, json.dumps(text, ensure_ascii=False)))


def _printable(char: str) -> str:
    return char if char.isprintable() else f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def env_text(value: object) -> str:
    """A value as the environment has it."""
    if isinstance(value, list | tuple):
        return ",".join(map(env_text, cast("Sequence[object]", value)))
    return str(value) if isinstance(value, str | PurePath) else toml_text(value)

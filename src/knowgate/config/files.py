"""Finding and reading knowgate.toml and the .env beside it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowgate.config.lines import Place, key_lines
from knowgate.config.origins import Origin
from knowgate.config.problems import Problem
from knowgate.errors import InputError

FILE_NAME = "knowgate.toml"
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class ConfigFile:
    path: Path
    tree: Mapping[str, Any] = field(repr=False)
    lines: Mapping[Place, int] = field(repr=False)


@dataclass(frozen=True, slots=True)
class DotEnv:
    path: Path
    values: Mapping[str, str] = field(repr=False)
    lines: Mapping[str, int]
    problems: tuple[Problem, ...]


def find_config(given: Path | None, environ: Mapping[str, str], cwd: Path) -> Path | None:
    """The file that was named, else the nearest knowgate.toml at or above `cwd`."""
    named = str(given) if given is not None else environ.get("KNOWGATE_CONFIG", "")
    if named:
        try:
            return cwd / Path(named).expanduser()
        except RuntimeError:
            return cwd / named  # ~name of a user nobody knows: reading it says that there is no such file
    return next((found for folder in (cwd, *cwd.parents) if _holds((found := folder / FILE_NAME).is_file)), None)


def read_config(path: Path) -> ConfigFile:
    text = _read(path)
    try:
        return ConfigFile(path, tomllib.loads(text), key_lines(text))
    except RecursionError:
        raise _syntax(path, 1, "it is nested too deeply", "Settings have at most one level of tables.") from None
    except ValueError as error:
        # tomllib's message quotes single characters and keys, never a value.
        raise _explained(path, text, str(error)) from None


def _explained(path: Path, text: str, message: str) -> InputError:
    reason, _, place = message.removesuffix(")").partition(" (at ")
    if place == "end of document":
        line = len(text.rstrip().split("\n"))
        return _syntax(
            path, line, f"{reason} before the end", "Close the text, list or table that is still open there."
        )
    at = re.match(r"line (\d+)", place)
    fix = "Correct it; `knowgate config --example` prints a file that is right."
    if "\\" in reason:
        fix = "Put a Windows path in single quotes, such as data = 'C:\\knowledge'."
    return _syntax(path, int(at[1]) if at else 1, reason, fix)


def _syntax(path: Path, line: int, reason: str, fix: str) -> InputError:
    return InputError("config_syntax", f"{path}:{line}: This is not TOML: {reason}.", fix)


def read_dotenv(folder: Path) -> DotEnv:
    """The variables in `folder`/.env, with their lines; without the file, none."""
    path = folder / ".env"
    if not _holds(path.is_file):  # a folder of that name is usually a virtual environment
        return DotEnv(path, {}, {}, ())
    import io

    from dotenv.parser import parse_stream

    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    problems: list[Problem] = []
    for binding in parse_stream(io.StringIO(_read(path))):
        text = binding.original.string
        line = binding.original.line + text[: len(text) - len(text.lstrip())].count("\n")
        if binding.key is not None and binding.value is not None:
            values[binding.key] = binding.value
            lines[binding.key] = line
        elif "KNOWGATE_" in text and not text.lstrip().startswith("#"):
            # Other lines are somebody else's: the file is often shared with other programs.
            problems.append(
                Problem(
                    "config_syntax",
                    Origin("dotenv", path, line),
                    "This line is not NAME=value.",
                    "Write it as NAME=value.",
                )
            )
    return DotEnv(path, values, lines, tuple(problems))


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            "config_not_found",
            f"{path}: There is no such file.",
            f"Check the path, or leave it out: knowgate works without a {FILE_NAME}.",
        ) from None
    except (OSError, ValueError) as error:
        if _holds(path.is_dir):
            raise InputError(
                "config_is_folder", f"{path}: This is a folder.", f"Name the file in it, such as {path / FILE_NAME}."
            ) from None
        raise InputError(
            "config_unreadable",
            f"{path}: It cannot be read ({getattr(error, 'strerror', None) or error}).",
            "Give this user the right to read it, or name another file.",
        ) from None
    if len(content) > _MOST_BYTES:
        raise InputError(
            "config_too_large", f"{path}: It is larger than 1 MB.", "Name a file with settings, not with data."
        )
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            "config_not_utf8",
            f"{path}:{line}: It is not UTF-8 text.",
            f"Save {path.name} again with the encoding UTF-8.",
        ) from None


def _holds(question: Callable[[], bool]) -> bool:
    """Whether a path is what is asked; what may not be looked at is not."""
    try:
        return question()
    except OSError:
        return False

"""Adding a table to knowgate.toml, or taking one out; otherwise it stays as people wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from pathlib import Path
from typing import Any
from uuid import uuid4

from knowgate.config.files import FILE_NAME
from knowgate.config.values import toml_text
from knowgate.errors import InputError, StorageError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def place_of(given: Path | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """Where a file is begun when there is none yet."""
    named = str(given) if given else environ.get("KNOWGATE_CONFIG", "")
    return cwd / (named or FILE_NAME)


def add_table(file: Path, path: Sequence[str], values: Mapping[str, object]) -> None:
    """Append it; InputError when the file would no longer be read as it was."""
    text = _read(file)
    lines = [
        f"[{'.'.join(map(_key, path))}]",
        *(f"{_key(name)} = {toml_text(value)}" for name, value in values.items()),
    ]
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else end if text.endswith("\n") else end * 2
    changed = text + gap + end.join(lines) + end
    try:
        tomllib.loads(changed.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        fix = f"Write it in yourself:\n{chr(10).join(lines)}"
        raise InputError("config_syntax", f"{file} has no place for a table [{'.'.join(path)}].", fix) from error
    _write(file, changed.encode())


def remove_table(file: Path, path: tuple[str, str]) -> None:
    """Take it out with all below it; InputError when that cannot be done without changing anything else."""
    text = _read(file)
    changed = _without(text, path)
    try:
        same = _tree(changed) == _tree(text, without=path)
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        fix = "It is not written as a table of its own; take it out yourself."
        raise InputError("config_syntax", f"{file}: [{'.'.join(path)}] cannot be taken out.", fix)
    _write(file, changed.encode())


def _without(text: str, path: tuple[str, ...]) -> str:
    kept: list[str] = []
    behind: list[str] = []
    """Blank lines and comments at the end of what is taken out: they speak of what follows."""
    inside = False
    for line in text.splitlines(keepends=True):
        if (named := _header(line)) is not None:
            blank = bool(kept) and not kept[-1].strip()
            kept += dropwhile(lambda each: not each.strip(), behind) if blank else behind
            behind = []
            inside = named[: len(path)] == path
        if not inside:
            kept.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            behind.append(line)
        else:
            behind = []
    kept += behind
    while kept and not kept[-1].strip():
        kept.pop()
    return "".join(kept)


def _header(line: str) -> tuple[str, ...] | None:
    """The names in a table's header."""
    if not line.lstrip().startswith("["):
        return None
    try:
        tree: Any = tomllib.loads(line.rstrip())
    except tomllib.TOMLDecodeError:
        return None
    names: list[str] = []
    while isinstance(tree, dict) and tree:
        [(name, tree)] = tree.items()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        names.append(str(name))  # pyright: ignore[reportUnknownArgumentType]
    return tuple(names)


def _tree(text: str, without: tuple[str, str] | None = None) -> dict[str, Any]:
    tree = tomllib.loads(text.replace("\r\n", "\n"))
    if without:
        tree.get(without[0], {}).pop(without[1], None)
    # A section is there by its tables.
    return {name: value for name, value in tree.items() if value != {}}


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("config_unreadable", f"{file}: It cannot be read.", "Check the file.") from error


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml_text(name)


def _write(file: Path, content: bytes) -> None:
    """All of it or nothing, with the file's own permissions."""
    # A link stays a link.
    real = file.resolve()
    fresh = real.with_name(f".{real.name}.{uuid4().hex}")
    try:
        fresh.write_bytes(content)
        if real.exists():
            fresh.chmod(real.stat().st_mode & 0o7777)
        fresh.replace(real)
    except OSError as error:
        fix = "Give this user the right to write there."
        raise StorageError("cannot_write", f"{file} cannot be written ({error.strerror}).", fix) from error
    finally:
        fresh.unlink(missing_ok=True)

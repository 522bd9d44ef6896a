"""Adding a table to knowgate.toml, which otherwise stays as people wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
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
    try:
        text = file.read_bytes().decode("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("config_unreadable", f"{file}: It cannot be read.", "Check the file.") from error
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

"""What lies at a path of this machine."""

from __future__ import annotations

from pathlib import Path

from knowgate.errors import InputError
from knowgate.tools.backend import PathKind


def path_kind(path: str) -> PathKind:
    try:
        found = Path(path).expanduser()
        return "file" if found.is_file() else "folder" if found.is_dir() else "missing"
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError("unreadable_path", f"{path} cannot be looked at: {error}.", "Check its spelling.") from error

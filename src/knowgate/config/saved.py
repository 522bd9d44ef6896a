"""Settings that were changed while a server ran: a file in the data folder, stronger than knowgate.toml."""

from __future__ import annotations

import json
import tomllib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from knowgate.errors import StorageError

FILE_NAME = "settings.toml"
_HEAD = "# Changed through the server. What is written here is stronger than knowgate.toml.\n"


def save(data: Path, changes: Mapping[str, str | int | float | bool | None]) -> None:
    """Write settings down by dotted key; None takes one back."""
    path = data / FILE_NAME
    tree: dict[str, dict[str, Any]] = {}
    try:
        if path.is_file():
            tree = tomllib.loads(path.read_text(encoding="utf-8"))
        for key, value in changes.items():
            section, _, name = key.partition(".")
            table = tree.setdefault(section, {})
            table.pop(name, None)
            if value is not None:
                table[name] = value
        data.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{uuid.uuid4().hex}")
        fresh.write_text(_HEAD + "".join(map(_table, tree.items())), encoding="utf-8")
        fresh.replace(path)
    except (OSError, ValueError) as error:
        raise StorageError(
            "cannot_write", f"{path} cannot be changed: {error}.", "Check its content, space and permissions."
        ) from error


def _table(item: tuple[str, Mapping[str, Any]]) -> str:
    section, values = item
    lines = "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    # JSON's texts, numbers and truth values are TOML's; but for DEL, which TOML wants escaped.
    return f"\n[{section}]\n{lines}".replace("\x7f", "\\u007f") if values else ""

"""Our entry in an app's configuration. Everything else in the file stays as it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from knowgate.cli.apps.places import App
from knowgate.errors import InputError, StorageError

_OURS = re.compile(r"(^|[\\/])(knowgate|openrag-mcp)(\.exe)?$")
_PASTE = "Run `knowgate mcp install --client APP --print`, and paste what it shows."


@dataclass(frozen=True, slots=True)
class Entry:
    """What an app starts."""

    command: str
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def ours(self) -> bool:
        return any(_OURS.search(word) for word in (self.command, *self.args))


@dataclass(frozen=True, slots=True)
class Held:
    """A configuration as it is on disk; there may be none yet."""

    path: Path
    text: str
    servers: Mapping[str, Any]
    rest: Mapping[str, Any]


def this_program() -> list[str]:
    """How this installation is started from anywhere."""
    script = Path(sysconfig.get_path("scripts")) / ("knowgate.exe" if sys.platform == "win32" else "knowgate")
    # Without -P a file of the project that the app has open could take the place of a library.
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "knowgate"]


def load(path: Path, below: str) -> Held:
    try:
        text = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    except (OSError, UnicodeError) as error:
        raise StorageError("app_config_unreadable", f"{path} cannot be read: {error}.", _PASTE) from error
    try:
        config: object = json.loads(text) if text.strip() else {}
    except ValueError as error:
        told = f"{path} is not plain JSON ({error}), and what else is in it could be lost."
        raise InputError("app_config_not_json", told, _PASTE) from error
    servers: object = cast("dict[str, Any]", config).get(below, {}) if isinstance(config, dict) else None
    if not isinstance(servers, dict):
        raise InputError("app_config_not_json", f"{path} has no place for {below}.", "Look at the file.")
    return Held(path, text, cast("dict[str, Any]", servers), cast("dict[str, Any]", config))


def with_entry(held: Held, app: App, name: str, entry: Entry) -> str:
    """The text with our entry; the same text if it is there. What somebody added to ours, like a key, is kept."""
    before = held.servers.get(name)
    kept = _dict(before) if "command" in _dict(before) else {}
    stdio = {"type": "stdio"} if app.typed else {}
    after = {**kept, **stdio, "command": entry.command, "args": list(entry.args)}
    if before == after:
        return held.text
    return _written({**held.rest, app.below: {**held.servers, name: after}}, held.text)


def entries(held: Held) -> dict[str, Entry]:
    """The servers that are programs, by name."""
    found: dict[str, Entry] = {}
    for name, given in held.servers.items():
        known = _dict(given)
        args = known.get("args")
        words = [str(word) for word in cast("list[Any]", args)] if isinstance(args, list) else []
        if isinstance(known.get("command"), str):
            env = {key: str(value) for key, value in _dict(known.get("env")).items()}
            found[name] = Entry(known["command"], words, env)
    return found


def save(path: Path, text: str) -> Path | None:
    """In one step; the backup of what was there."""
    # A link may lead to where somebody keeps his settings; it stays one.
    path = path.resolve()
    backup = path.with_name(f"{path.name}.knowgate.bak") if path.exists() else None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if backup:
            shutil.copy2(path, backup)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            if backup:
                shutil.copymode(path, beside)
            Path(beside).replace(path)
        finally:
            Path(beside).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError("app_config_unwritable", f"{path} cannot be written: {error}.", _PASTE) from error
    return backup


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _written(config: Mapping[str, Any], before: str) -> str:
    indented = re.search(r"\n([ \t]+)\S", before)
    text = json.dumps(config, indent=indented[1] if indented else 2, ensure_ascii=False)
    # Half a character, as a text that was cut may end with, can only be told by its number.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text) + "\n"

"""Which of the files that were found in a working directory may say what is called, and with what.

A folder that was fetched from somewhere may bring a knowgate.toml along. Its APIs would be called with the user's
credentials, and a profile may even name a command. So what was found, and not named, needs his word for it first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import orjson

from knowgate.config.mrapids import AUTH, CONFIG
from knowgate.errors import ForbiddenError, StorageError

IGNORED = ("apis", "auth")
"""Sections without which nothing is called. A policy cannot be left out so easily: it may be the user's own."""


def sections_of(tree: Mapping[str, Any]) -> tuple[str, ...]:
    """What in it needs trust."""
    policy = tree.get("policy")
    named = isinstance(policy, dict) and "file" in policy
    return (*(name for name in IGNORED if tree.get(name)), *(("policy",) if named else ()))


def is_trusted(file: Path) -> bool:
    """Whether the user has trusted it as it is now: a file, or a folder .mrapids."""
    return _records().get(_key(file)) == _digest(file)


def trust(file: Path) -> None:
    """As it is now; when it is changed, he is asked again."""
    place = _place()
    content = orjson.dumps(_records() | {_key(file): _digest(file)}, option=orjson.OPT_INDENT_2)
    fresh = place.with_name(f".{place.name}.{uuid4().hex}")
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(content)
        fresh.replace(place)
    except OSError as error:
        fix = "Give this user the right to write there, or name the file with --config."
        raise StorageError("cannot_write", f"{place} cannot be written ({error.strerror}).", fix) from error
    finally:
        fresh.unlink(missing_ok=True)


def not_trusted(file: Path) -> ForbiddenError:
    return ForbiddenError(
        "config_not_trusted",
        f"{file} was found here, and nobody has trusted it as it is now.",
        f"Read it, then run `knowgate config trust {file}`, or name it with "
        f"{'--config-dir' if file.is_dir() else '--config'}.",
    )


def _records() -> dict[str, str]:
    try:
        found = orjson.loads(_place().read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}  # then nothing is trusted
    return cast("dict[str, str]", found) if isinstance(found, dict) else {}


def _place() -> Path:
    from platformdirs import user_config_path

    return user_config_path("knowgate", appauthor=False) / "trusted.json"


def _key(file: Path) -> str:
    return str(file.resolve())


def _digest(path: Path) -> str:
    """Of a file, or of what decides in a folder .mrapids: its configuration and its profiles."""
    if not path.is_dir():
        return sha256(path.read_bytes()).hexdigest()
    whole = sha256()
    for file in (path / CONFIG, *sorted((path / AUTH).glob("*.toml"))):
        if file.is_file():
            whole.update(f"{file.name} {_digest(file)}\n".encode())
    return whole.hexdigest()

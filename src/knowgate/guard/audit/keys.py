"""The key that seals the trail: made once, in a file that only its owner reads."""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from knowgate.errors import StorageError
from knowgate.guard.audit.files import create_private

_SIZE = 32


@dataclass(frozen=True, slots=True)
class Keys:
    """One for each purpose, so that a seal made for one thing never passes for another."""

    lines: bytes
    head: bytes
    values: bytes


def load(path: Path) -> Keys:
    """FileNotFoundError when there is none."""
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        key = file.read()
    if os.name == "posix" and mode & 0o077:
        raise StorageError("audit_key_exposed", f"Others can read {path}.", f"Run: chmod 600 {path}")
    if len(key) != _SIZE:
        raise StorageError("audit_key_damaged", f"{path} is not a key.", "Put it back from a backup.")
    return Keys(*(hmac.digest(key, purpose, "sha256") for purpose in (b"lines", b"head", b"values")))


def make(path: Path) -> None:
    """Only under the lock. Complete under its name, or not there."""
    temporary = path.with_suffix(".new")
    with create_private(temporary, "wb") as file:
        file.write(secrets.token_bytes(_SIZE))
        os.fsync(file.fileno())
    temporary.replace(path)

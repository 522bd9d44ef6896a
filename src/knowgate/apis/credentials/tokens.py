"""Tokens that were given to us: kept in private files, so that every process of this user has them."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from knowgate.apis.credentials.profile import Profile
from knowgate.apis.credentials.secret import Secret, sendable
from knowgate.apis.credentials.sources import read_private
from knowgate.errors import StorageError

_EARLY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Token:
    access: Secret
    refresh: Secret | None = None
    expires_at: float | None = None
    early: float = 0.0
    """So many seconds before it expires, it is renewed."""

    def fresh(self, now: float) -> bool:
        return self.expires_at is None or now < self.expires_at - self.early


def read_token(answer: dict[str, Any], now: float, before: Token | None = None) -> Token | None:
    """From a token endpoint's answer; a refresh token that is not told anew stays."""
    access, refresh, seconds = (answer.get(key) for key in ("access_token", "refresh_token", "expires_in"))
    if not isinstance(access, str) or not access:
        return None
    if isinstance(seconds, str) and seconds.isdecimal():
        seconds = int(seconds)
    lifetime = float(seconds) if isinstance(seconds, int | float) else None
    return Token(
        access=sendable(access, "The access token"),
        refresh=Secret(refresh) if isinstance(refresh, str) and refresh else before and before.refresh,
        expires_at=None if lifetime is None else now + lifetime,
        early=min(_EARLY_SECONDS, (lifetime or 0.0) / 10),
    )


class TokenFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()

    def load(self, profile: Profile) -> Token | None:
        data = read_private(self._path(profile))
        try:
            kept: dict[str, Any] = orjson.loads(data)
            refresh, expires_at = str(kept["refresh"]), kept["expires_at"]
            return Token(
                access=Secret(str(kept["access"])),
                refresh=Secret(refresh) if refresh else None,
                expires_at=None if expires_at is None else float(expires_at),
                early=float(kept["early"]),
            )
        except (ValueError, KeyError, TypeError):
            return None

    def save(self, profile: Profile, token: Token) -> None:
        data = orjson.dumps(
            {
                "profile": profile.name,
                "access": token.access.reveal(),
                "refresh": token.refresh.reveal() if token.refresh else "",
                "expires_at": token.expires_at,
                "early": token.early,
            }
        )
        path = self._path(profile)
        new = path.with_suffix(f".{os.getpid()}.new")
        try:
            new.unlink(missing_ok=True)
            with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(data)
            new.replace(path)
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    def forget(self, profile: Profile) -> None:
        self._path(profile).unlink(missing_ok=True)

    @contextmanager
    def alone(self, profile: Profile) -> Generator[None]:
        """One at a time, in all threads and processes: a refresh token that is used twice is often taken for stolen."""
        path = self._path(profile).with_suffix(".lock")
        with self._lock:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                file = path.open("ab")
            except OSError as error:
                raise _unwritable(self._folder, error) from error
            with file:
                _lock(file.fileno())
                yield

    def _path(self, profile: Profile) -> Path:
        # A profile that now means another account must not find the old one's token.
        meaning = [profile.name, profile.token_url, profile.user, profile.user_env, *profile.scopes]
        return self._folder / (sha256(orjson.dumps(meaning)).hexdigest()[:32] + ".json")


def _unwritable(folder: Path, error: OSError) -> StorageError:
    fix = "Check the permissions of the data folder."
    return StorageError("cannot_write", f"Tokens cannot be kept in {folder}: {error.strerror}.", fix)


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

else:

    def _lock(descriptor: int) -> None:
        import fcntl

        # Closing the file lets go of it.
        fcntl.flock(descriptor, fcntl.LOCK_EX)

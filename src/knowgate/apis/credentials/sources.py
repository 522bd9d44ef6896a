"""Where secrets come from: a variable, a private file, the system's key ring, a helper command."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Thread

from knowgate.apis.credentials.profile import Profile
from knowgate.errors import ForbiddenError

_LARGEST = 64 * 1024
_COMMAND_SECONDS = 20.0


def find_secret(profile: Profile, environ: Mapping[str, str]) -> str:
    """The profile's secret from the first source that has it; empty when it names none."""
    source = profile.secret
    if source.env and (value := environ.get(source.env, "").strip()):
        return value
    if source.file and (value := read_private(source.file).decode("utf-8", "replace").strip()):
        return value
    if source.keyring and (value := _ask_keyring(profile)):
        return value
    if source.command:
        return _run(profile, environ)
    tried = [
        f"set the environment variable {source.env}" if source.env else "",
        f"write it to {source.file}" if source.file else "",
        f"store {source.keyring} in the key ring" if source.keyring else "",
    ]
    if not any(tried):
        return ""
    raise _missing(profile, f"Do one of these: {', '.join(filter(None, tried))}.")


def find_user(profile: Profile, environ: Mapping[str, str]) -> str:
    user = environ.get(profile.user_env, "").strip() if profile.user_env else ""
    if not (user or profile.user):
        raise _missing(profile, f"Set the environment variable {profile.user_env}.")
    return user or profile.user


def read_private(path: Path) -> bytes:
    """A small file that nobody else can read; empty when there is none."""
    try:
        with path.open("rb") as file:
            # Windows keeps others out by other means, and shows made-up modes.
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise ForbiddenError(
                    "credential_unsafe", f"{path} holds a secret and others can read it.", f"Run: chmod 600 '{path}'"
                )
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ForbiddenError(
            "credential_missing", f"{path} cannot be read: {error.strerror}.", "Check the file and its permissions."
        ) from error
    if len(data) > _LARGEST:
        raise ForbiddenError("credential_refused", f"{path} is too large for a secret.", "Check the path.")
    return data


def _ask_keyring(profile: Profile) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise _missing(profile, "Install keyring: pip install 'knowgate[keyring]'.") from None
    service, _, user = profile.secret.keyring.rpartition("/")
    try:
        return keyring.get_password(service, user) or ""
    except KeyringError as error:
        fix = f"Unlock the key ring, or use another source ({type(error).__name__})."
        raise _missing(profile, fix) from None


def _run(profile: Profile, environ: Mapping[str, str]) -> str:
    """What the helper prints; no shell, and neither a silent nor a talkative one holds us up."""
    name = profile.secret.command[0]
    try:
        helper = subprocess.Popen(
            profile.secret.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
        )
    except OSError as error:
        raise _missing(profile, f"The command {name} cannot be run: {error.strerror}.") from error
    said: list[bytes] = []
    reader = Thread(target=_listen, args=(helper, said), daemon=True)
    reader.start()
    reader.join(_COMMAND_SECONDS)
    if reader.is_alive():
        helper.kill()
        raise _missing(profile, f"The command {name} did not end within {_COMMAND_SECONDS:.0f} seconds.")
    printed = said[0]
    value = printed.decode("utf-8", "replace").strip()
    if helper.returncode or not value or len(printed) > _LARGEST:
        fix = f"The command {name} should print the secret and end with 0; it ended with {helper.returncode}."
        raise _missing(profile, fix)
    return value


def _listen(helper: subprocess.Popen[bytes], said: list[bytes]) -> None:
    with helper:
        assert helper.stdout
        said.append(helper.stdout.read(_LARGEST + 1))
        if len(said[0]) > _LARGEST:
            helper.kill()


def _missing(profile: Profile, fix: str) -> ForbiddenError:
    return ForbiddenError("credential_missing", f"The auth profile {profile.name!r} has no credential.", fix)

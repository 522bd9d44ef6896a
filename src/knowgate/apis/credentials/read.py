"""Profiles from `.mrapids/auth/*.toml` and from tables `[auth.NAME]`. They name secrets, they never hold them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from knowgate.apis.credentials.profile import Kind, Place, Profile, Source, origin_of
from knowgate.errors import InputError

_EVERY = {"name", "type", "description", "origins", "operations"}
_OAUTH = {"client_id", "client_id_env", "token_url", "scopes"}
SECRETS: Mapping[Kind, str] = {
    "bearer": "token",
    "basic": "password",
    "api_key": "key",
    "oauth2_client_credentials": "client_secret",
    "oauth2_authorization_code": "client_secret",
    "mutual_tls": "passphrase",
}
"""What the secret of each type is called."""
_KEYS: Mapping[Kind, set[str]] = {
    "bearer": set(),
    "basic": {"user", "user_env"},
    "api_key": {"header", "query", "cookie"},
    "oauth2_client_credentials": _OAUTH,
    "oauth2_authorization_code": {*_OAUTH, "authorization_url", "redirect_port"},
    "mutual_tls": {"cert_file", "key_file", "ca_file"},
}
_ALSO = {"username": "user", "username_env": "user_env", "user_name": "user"}


def read_profiles(folder: Path, *, origins: Iterable[str] = ()) -> tuple[Profile, ...]:
    """The profiles of a `.mrapids/auth` folder; those that do not name origins are bound to the ones given."""
    return tuple(_read_file(path, tuple(origins)) for path in sorted(folder.glob("*.toml")))


def _read_file(path: Path, origins: tuple[str, ...]) -> Profile:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        # The reader's own words may quote the line, and somebody may have written a secret there.
        raise _bad(f"{path} cannot be read as TOML ({type(error).__name__}).", "Check its syntax.") from None
    profile: dict[str, Any] | None = table.get("profile")
    if not isinstance(profile, dict) or len(table) > 1:
        raise _bad(f"{path} should hold one table [profile].", 'Write: [profile], name = "…", type = "bearer".')
    return read_profile(path.stem, profile, folder=path.parent, origins=origins, where=str(path))


def read_profile(
    name: str, table: Mapping[str, Any], *, folder: Path, origins: Iterable[str] = (), where: str
) -> Profile:
    """One profile; `folder` is what relative files are relative to, `where` what messages call it."""
    return _Table(where, table).profile(name, folder, tuple(origins))


class _Table:
    def __init__(self, where: str, table: Mapping[str, Any]) -> None:
        self._where = where
        self._table = {_ALSO.get(key, key): value for key, value in table.items()}

    def profile(self, name: str, folder: Path, origins: tuple[str, ...]) -> Profile:
        kind: Kind = self._choice("type", get_args(Kind))
        secret = SECRETS[kind]
        self._refuse_unknown({*_EVERY, *_KEYS[kind], *(f"{secret}_{way}" for way in Source.__slots__)}, secret)
        place, key_name = self._placed() if kind == "api_key" else ("header", "")
        oauth = kind.startswith("oauth2")
        profile = Profile(
            name=self._text("name") or name,
            type=kind,
            origins=tuple(origin_of(origin) for origin in self._texts("origins") or origins),
            operations=self._texts("operations") or ("*",),
            secret=Source(
                env=self._text(f"{secret}_env"),
                file=self._path(f"{secret}_file", folder),
                keyring=self._text(f"{secret}_keyring"),
                command=self._texts(f"{secret}_command"),
            ),
            user=self._text("client_id" if oauth else "user"),
            user_env=self._text("client_id_env" if oauth else "user_env"),
            place=place,
            key_name=key_name,
            token_url=self._text("token_url"),
            authorization_url=self._text("authorization_url"),
            scopes=self._texts("scopes"),
            redirect_port=self._port("redirect_port"),
            certificate=self._path("cert_file", folder),
            private_key=self._path("key_file", folder),
            authority=self._path("ca_file", folder),
        )
        self._refuse_incomplete(profile, secret)
        return profile

    def _refuse_unknown(self, known: set[str], secret: str) -> None:
        for key in self._table:
            if key == secret:
                fix = f'Put it into an environment variable and name that here: {key}_env = "MY_{key.upper()}".'
                raise _bad(f"{self._where} holds a secret itself ({key}).", fix)
            if key not in known:
                close = get_close_matches(key, known, 1)
                fix = f"Did you mean {close[0]}?" if close else f"Known here: {', '.join(sorted(known))}."
                raise _bad(f"{self._where} has an unknown key: {key}.", fix)

    def _refuse_incomplete(self, profile: Profile, secret: str) -> None:
        by_type: dict[str, dict[str, object]] = {
            "basic": {"user or user_env": profile.user or profile.user_env},
            "oauth2_client_credentials": {"token_url": profile.token_url},
            "oauth2_authorization_code": {
                "token_url": profile.token_url,
                "authorization_url": profile.authorization_url,
            },
            "mutual_tls": {"cert_file": profile.certificate},
        }
        needed = by_type.get(profile.type, {})
        if profile.token_url:
            needed["client_id or client_id_env"] = profile.user or profile.user_env
        # A client that signs people in may be public, and a private key may have no passphrase.
        if profile.type not in {"oauth2_authorization_code", "mutual_tls"}:
            needed[f"{secret}_env, {secret}_file, {secret}_keyring or {secret}_command"] = profile.secret != Source()
        if missing := [key for key, told in needed.items() if not told]:
            raise _bad(f"{self._where} is not complete.", f"Add {'; '.join(missing)}.")

    def _placed(self) -> tuple[Place, str]:
        told = [place for place in get_args(Place) if self._text(place)]
        if len(told) != 1:
            raise _bad(
                f"{self._where} should say where the key goes.", 'Add one of: header = "X-API-Key", query, cookie.'
            )
        name = self._text(told[0])
        if not name.isascii() or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            raise _bad(f"{self._where} has a {told[0]} that is no name.", 'Write it like "X-API-Key".')
        return told[0], name

    def _choice(self, key: str, choices: tuple[Any, ...]) -> Any:
        given = self._text(key).replace("-", "_")
        if given not in choices:
            raise _bad(f"{self._where} has no {key} that is known.", f"Choose one of {', '.join(choices)}.")
        return given

    def _text(self, key: str) -> str:
        value = self._table.get(key, "")
        if not isinstance(value, str):
            raise _bad(f"{self._where}: {key} should be a text.", f'Write {key} = "…".')
        return value.strip()

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self._table.get(key, [])
        if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):  # pyright: ignore[reportUnknownVariableType]
            raise _bad(f"{self._where}: {key} should be a list of texts.", f'Write {key} = ["…"].')
        return tuple(str(entry) for entry in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

    def _path(self, key: str, folder: Path) -> Path | None:
        return folder / Path(told).expanduser() if (told := self._text(key)) else None

    def _port(self, key: str) -> int:
        value = self._table.get(key, 8899)
        if not isinstance(value, int) or not 0 < value < 65536:
            raise _bad(f"{self._where}: {key} should be a port.", f"Write {key} = 8899.")
        return value


def _bad(message: str, fix: str) -> InputError:
    return InputError("bad_profile", message, fix)

"""Who we are to an API: what a profile says, and which requests it may be used for."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, Protocol

from knowgate.errors import ForbiddenError

Kind = Literal["bearer", "basic", "api_key", "oauth2_client_credentials", "oauth2_authorization_code", "mutual_tls"]
Place = Literal["header", "query", "cookie"]


class Addressed(Protocol):
    """As much of a request as decides whether a profile may be used for it."""

    @property
    def url(self) -> str: ...
    @property
    def operation(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Source:
    """Where a secret is to be found; the first of these that is told and has it."""

    env: str = ""
    file: Path | None = None
    keyring: str = ""
    """service/user"""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    type: Kind
    origins: tuple[str, ...]
    """Such as https://api.example.com; it is sent nowhere else."""
    operations: tuple[str, ...] = ("*",)
    """Globs over operation ids."""
    secret: Source = Source()
    """The token, key, password, client secret, or the passphrase of the private key."""
    user: str = ""
    """The user's name, or the OAuth client's id."""
    user_env: str = ""
    place: Place = "header"
    key_name: str = ""
    """The API key's header, query parameter or cookie."""
    token_url: str = ""
    authorization_url: str = ""
    scopes: tuple[str, ...] = ()
    redirect_port: int = 8899
    """Where the browser comes back to after a sign-in: http://127.0.0.1:PORT/callback."""
    certificate: Path | None = None
    private_key: Path | None = None
    authority: Path | None = None
    """The certificate authority to trust instead of the system's."""


def origin_of(url: str) -> str:
    """Scheme, host and port in one spelling; InputError when it is no web address."""
    from knowgate.net.client import read_url

    parsed = read_url(url)
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    return f"{parsed.scheme}://{host}" + (f":{parsed.port}" if parsed.port else "")


def covers(profile: Profile, request: Addressed) -> bool:
    return _refusal(profile, request) is None


def check(profile: Profile, request: Addressed) -> None:
    """ForbiddenError when the profile is not for this request."""
    if refusal := _refusal(profile, request):
        raise refusal


def _refusal(profile: Profile, request: Addressed) -> ForbiddenError | None:
    origin = origin_of(request.url)
    if origin not in profile.origins:
        return ForbiddenError(
            "profile_not_allowed",
            f"The auth profile {profile.name!r} is not for {origin}.",
            f'If it should be, add "{origin}" to the origins of the profile.',
        )
    if not any(fnmatchcase(request.operation, glob) for glob in profile.operations):
        return ForbiddenError(
            "profile_not_allowed",
            f"The auth profile {profile.name!r} is not for the operation {request.operation}.",
            "If it should be, add it to the operations of the profile.",
        )
    return None

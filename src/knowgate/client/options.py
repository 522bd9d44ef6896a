"""How to reach the server: from arguments, else from the environment, else a server on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from knowgate.client.errors import AuthenticationError, ValidationError
from knowgate.net.address import is_loopback
from knowgate.version import __version__

_KEY_VARIABLES = ("KNOWGATE_API_KEY", "OPENRAG_API_KEY")
_URL_VARIABLES = ("KNOWGATE_URL", "OPENRAG_URL")
_DEFAULT_URL = "http://localhost:3000"


@dataclass(frozen=True, slots=True)
class Options:
    base_url: str
    where: str
    """For messages: host and port, without a user name and password that the address may carry."""
    local: bool
    """The server is on this machine."""
    headers: Mapping[str, str]
    timeout: float


def read_options(
    api_key: str | None,
    base_url: str | None,
    timeout: float,
    extra_headers: Mapping[str, str] | None,
    environ: Mapping[str, str],
) -> Options:
    key = _first(environ, _KEY_VARIABLES) if api_key is None else api_key.strip()
    url = (_first(environ, _URL_VARIABLES) if base_url is None else base_url.strip()) or _DEFAULT_URL
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise _bad_url(url) from None
    if not usable:
        raise _bad_url(url)
    return Options(
        base_url=url.rstrip("/"),
        where=parts.netloc.rpartition("@")[2],
        local=is_loopback(parts.hostname or ""),
        headers=_headers(key, extra_headers or {}),
        timeout=timeout,
    )


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := environ.get(name, "").strip())), "")


def _headers(key: str, extra: Mapping[str, str]) -> dict[str, str]:
    ours = {"Accept": "application/json", "User-Agent": f"knowgate/{__version__}"}
    if key:
        ours["X-API-Key"] = _checked_key(key)
    given = {name.lower() for name in extra}
    return {**{name: value for name, value in ours.items() if name.lower() not in given}, **extra}


def _checked_key(key: str) -> str:
    if not key.isascii() or not key.isprintable():
        fix = "Copy it again, without quotes and line breaks."
        raise AuthenticationError("malformed_key", "The API key contains characters that no key has.", fix)
    return key


def _bad_url(url: str) -> ValidationError:
    # Only the part after a user name and password, which do not belong into a message.
    shown = url.rpartition("@")[2]
    return ValidationError("bad_url", f"{shown!r} is not a web address.", f"Write it like {_DEFAULT_URL}.")

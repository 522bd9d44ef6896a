"""Where an operation's requests go."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from knowgate.apis.operation import Api, Operation, Server
from knowgate.apis.values import has_controls
from knowgate.errors import InputError


def base_of(
    owner: Operation | Api, *, source: str = "", base_url: str = "", variables: Mapping[str, str] | None = None
) -> str:
    """The absolute address that the path of an operation, or of most of an API's, is added to.

    A configured `base_url` wins over the description. `source` is where the description came from, which relative
    servers are relative to. Variables come from the settings, never from a caller: they may be part of the host.
    """
    if base_url:
        return checked(base_url)
    server = owner.servers[0] if owner.servers else Server("/")
    url = _filled(server, variables or {})
    if urlsplit(source).scheme in ("http", "https"):
        url = urljoin(source, url)
    return checked(url)


def checked(url: str) -> str:
    """The address without its last slash, refused unless it is one that a path can be added to."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        parts, usable = urlsplit(""), False
    if not usable or has_controls(url) or " " in url or "\\" in url:
        raise InputError(
            "no_base_url", f"{url!r} is not an address that requests can go to.", "Set base_url for this API."
        )
    if parts.username is not None or parts.query or parts.fragment or re.search(r"[{}]", url):
        raise InputError(
            "no_base_url",
            "A base address has no user, query, fragment or open variables.",
            "Set base_url for this API, such as https://api.example.com/v1.",
        )
    return url.rstrip("/")


def _filled(server: Server, variables: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1]
        default, allowed = server.variables.get(name, (None, ()))
        chosen = variables.get(name, default)
        if chosen is None or (allowed and chosen not in allowed and chosen != default):
            wanted = f"one of {', '.join(allowed)}" if allowed else "a value"
            raise InputError("no_base_url", f"The server variable {name} needs {wanted}.", "Set it for this API.")
        return chosen

    return re.sub(r"\{([^{}]*)\}", value, server.url)

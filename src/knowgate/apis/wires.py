"""Credentials in addresses and cookies, put in and taken out without touching the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote_plus

Pairs = Sequence[tuple[str, str]]


def with_query(url: str, added: Pairs) -> str:
    """The address with these parameters, and no others of their names."""
    if not added:
        return url
    url = bare_query(url, [name for name, _ in added])
    query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in added)
    return url + ("&" if "?" in url else "?") + query


def bare_query(url: str, names: Iterable[str]) -> str:
    """The address without the parameters of these names."""
    unwanted = set(names)
    path, _, query = url.partition("?")
    kept = [pair for pair in query.split("&") if pair and unquote_plus(pair.partition("=")[0]) not in unwanted]
    if not unwanted or len(kept) == len(query.split("&")):
        return url
    return path + ("?" + "&".join(kept) if kept else "")


def with_cookies(headers: Iterable[tuple[str, str]], added: Pairs) -> tuple[tuple[str, str], ...]:
    """One Cookie header, with these cookies at its end."""
    headers = tuple(headers)
    if not added:
        return headers
    cookies = [value for name, value in headers if name.lower() == "cookie"]
    cookies += [f"{name}={value}" for name, value in added]
    return (*((name, value) for name, value in headers if name.lower() != "cookie"), ("Cookie", "; ".join(cookies)))


def same_target(url: str, sent: str) -> bool:
    """Whether the path and query that will be sent are those of the address, letter by letter."""
    after_scheme = url.partition("://")[2].partition("#")[0]
    start = min((at for at in (after_scheme.find("/"), after_scheme.find("?")) if at >= 0), default=len(after_scheme))
    target = after_scheme[start:]
    return sent == (target if target.startswith("/") else "/" + target)

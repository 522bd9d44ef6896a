"""The rules, and the decision they make about one host and the addresses it resolves to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knowgate.errors import ForbiddenError, InputError
from knowgate.net.address import METADATA, Address, is_local_name, kind, read_host


@dataclass(frozen=True, slots=True)
class NetRules:
    allow_private: bool = False
    """Also hosts on this machine and its networks; a cloud's metadata service has to be listed all the same."""
    allow_hosts: tuple[str, ...] = ()
    """`host` or `host:port` to trust wherever it leads."""
    max_bytes: int = 50 * 1024 * 1024
    timeout_seconds: float = 60.0
    """For a whole exchange, redirects included."""

    def __post_init__(self) -> None:
        for entry in self.allow_hosts:
            _read_listed(entry)


def check_host(host: Address | str, port: int, rules: NetRules) -> None:
    """Refuse what is known to be off limits before any resolver is asked."""
    if isinstance(host, str):
        local = is_local_name(host) and not rules.allow_private and not _is_listed(host, port, rules)
        if local:
            raise _refused(host, port, "loopback")
    else:
        check_addresses(host, port, [host], rules)


def check_addresses(host: Address | str, port: int, addresses: Iterable[Address], rules: NetRules) -> None:
    """One refused address refuses the host: a name that points both inside and outside is an attack or a mistake."""
    if _is_listed(host, port, rules):
        return
    for address in addresses:
        found = kind(address)
        if found == METADATA or (found is not None and not rules.allow_private):
            raise _refused(host, port, found)


def _is_listed(host: Address | str, port: int, rules: NetRules) -> bool:
    return any(_read_listed(entry) in {(host, None), (host, port)} for entry in rules.allow_hosts)


def _read_listed(entry: str) -> tuple[Address | str, int | None]:
    host, colon, port = entry.strip().rpartition(":")
    bare_ipv6 = ":" in host and not host.endswith("]")
    try:
        if colon and port.isdecimal() and not bare_ipv6:
            return read_host(host), int(port)
        return read_host(entry.strip()), None
    except ValueError as error:
        raise InputError(
            "bad_host",
            f"{entry!r} in fetch.allow_hosts is not a host.",
            'Write it as "wiki.example.com", "10.0.0.5:8080" or "[::1]:8080".',
        ) from error


def _refused(host: Address | str, port: int, found: str) -> ForbiddenError:
    shown = f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
    if found == METADATA:
        fix = "A cloud gives out its keys there; save what you need to a file and ingest that."
    else:
        listed = f'add "{shown}" to fetch.allow_hosts'
        fix = f"If you trust it, {listed}, or set fetch.allow_private = true, in knowgate.toml."
    return ForbiddenError("private_address", f"{host} is not on the public internet ({found} address).", fix)

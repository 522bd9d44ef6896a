"""Hosts and addresses: which one is really meant, and what kind it is."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

METADATA = "cloud metadata"
"""The kind that hands out a machine's credentials."""

_KINDS = {
    METADATA: (
        *("169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32", "168.63.129.16/32"),
        *("100.100.100.200/32", "192.0.0.192/32", "fd00:ec2::254/128", "fd00:ec2::23/128"),
    ),
    "loopback": ("127.0.0.0/8", "::1/128"),
    "unspecified": ("0.0.0.0/8", "::/128"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "carrier-grade NAT": ("100.64.0.0/10",),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    # 2001::/23 and 2002::/16 hold Teredo and 6to4: given up years ago, except for hiding an IPv4 address.
    "reserved": (
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        *("240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    ),
}
_NETWORKS = tuple((kind, ip_network(network)) for kind, networks in _KINDS.items() for network in networks)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def read_host(host: str) -> Address | str:
    """The address a host spells, or its name in lower case without the final dot; ValueError when it is neither."""
    host = host.lower()
    if ":" in host:
        address = IPv6Address(host[1:-1] if host[0] + host[-1] == "[]" else host)
        if address.scope_id is not None:
            raise ValueError(f"{host} names a network interface")
        return address
    labels = host.removesuffix(".").split(".")
    # Where the last label is a number, every resolver reads the whole host as one: 2130706433 and 0x7f.1 are 127.0.0.1.
    if _NUMBER.fullmatch(labels[-1]):
        return _read_ipv4(labels)
    name = ".".join(labels)
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError(f"{host!r} is not a host name")
    return name


def _read_ipv4(labels: list[str]) -> IPv4Address:
    """One to four decimal, octal or hexadecimal numbers, the last of which fills the bytes that are left."""
    if len(labels) > 4 or not all(_NUMBER.fullmatch(label) and len(label) < 32 for label in labels):
        raise ValueError(f"{'.'.join(labels)} is not an address")
    *leading, last = (_read_number(label) for label in labels)
    if any(number > 255 for number in leading) or last >= 256 ** (4 - len(leading)):
        raise ValueError(f"{'.'.join(labels)} is not an address")
    return IPv4Address(sum(number << (24 - 8 * place) for place, number in enumerate(leading)) + last)


def _read_number(label: str) -> int:
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8 if label.startswith("0") else 10)


def kind(address: Address) -> str | None:
    """What kind of address that is not part of the public internet this is, or None for a public one."""
    destination = _destination(address)
    for name, network in _NETWORKS:
        if destination in network:
            return name
    return "reserved" if destination.version == 6 and destination not in _GLOBAL_UNICAST else None


def _destination(address: Address) -> Address:
    """Where a packet really goes: IPv6 can carry an IPv4 address inside."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its plain name or a loopback address; no brackets around IPv6."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_local_name(name: str) -> bool:
    """Names that mean this machine whatever a resolver says."""
    return name.split(".")[-1] in {"localhost", "localdomain"} or name in {"ip6-localhost", "ip6-loopback"}

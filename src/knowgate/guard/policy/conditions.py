"""When a rule applies: time windows, networks, environments, credentials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from zoneinfo import ZoneInfo

from knowgate.guard.policy.action import Action
from knowgate.guard.policy.globs import Globs
from knowgate.guard.policy.sure import Sure, both

Network = IPv4Network | IPv6Network
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def zone(name: str) -> tzinfo:
    """A time zone by its name. Not every system has a list of them, but all know this one."""
    return UTC if name == "UTC" else ZoneInfo(name)


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` up to `end` (minutes of the day) on some days. One that ends the next morning belongs to the day on
    which it began."""

    start: int
    end: int
    days: frozenset[int]
    zone: tzinfo

    def holds(self, now: datetime) -> bool:
        there = now.astimezone(self.zone)
        minute = there.hour * 60 + there.minute
        if self.start < self.end:
            return there.weekday() in self.days and self.start <= minute < self.end
        if minute >= self.start:
            return there.weekday() in self.days
        return minute < self.end and (there - timedelta(days=1)).weekday() in self.days


@dataclass(frozen=True, slots=True)
class Condition:
    auth_profile: Globs | None = None
    environment: Globs | None = None
    networks: tuple[Network, ...] | None = None
    window: Window | None = None

    def holds(self, action: Action) -> Sure:
        sure: Sure = True
        if self.auth_profile:
            sure = both(sure, self.auth_profile.match(action.auth_profile) if action.auth_profile else False)
        if self.environment:
            sure = both(sure, self.environment.match(action.environment) if action.environment else False)
        if self.networks is not None:
            sure = both(sure, _inside(action.address, self.networks))
        if self.window:
            sure = both(sure, self.window.holds(action.now))
        return sure


def _inside(address: str, networks: Sequence[Network]) -> Sure:
    if not address:
        return False
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    return any(ip in network for network in networks)

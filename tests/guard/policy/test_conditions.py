from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.guard.policy.acting import calling, decided

from knowgate.guard.policy.conditions import Window

BERLIN = ZoneInfo("Europe/Berlin")


def open_at(condition: str, now: datetime) -> bool:
    rules = f"defaults: {{allow_methods: []}}\nrules: [{{name: r, conditions: [{condition}], allow: true}}]"
    return decided(rules, calling(now=now)).outcome == "allow"


@pytest.mark.parametrize(
    ("now", "is_open"),
    [
        (datetime(2026, 3, 2, 8, 59, 59, tzinfo=UTC), False),
        (datetime(2026, 3, 2, 9, tzinfo=UTC), True),
        (datetime(2026, 3, 2, 16, 59, 59, tzinfo=UTC), True),
        (datetime(2026, 3, 2, 17, tzinfo=UTC), False),
        (datetime(2026, 3, 7, 12, tzinfo=UTC), False),
    ],
)
def test_fault_2_business_hours_end(now: datetime, is_open: bool) -> None:
    assert open_at("{time_window: business_hours}", now) is is_open


def test_weekdays() -> None:
    monday = datetime(2026, 3, 2, tzinfo=UTC)
    days = [open_at("{time_window: weekdays}", monday + timedelta(days=day, hours=3)) for day in range(7)]
    assert days == [True] * 5 + [False] * 2


@pytest.mark.parametrize(
    "condition",
    [
        "{type: time_window, start: '09:00', end: '17:00', timezone: Europe/Berlin}",
        "{time_window: {start: 9:00, end: 17:00, timezone: Europe/Berlin}}",
        "{time_window: business_hours, timezone: Europe/Berlin}",
    ],
)
@pytest.mark.parametrize("day", [datetime(2026, 3, 2), datetime(2026, 7, 6)])  # noqa: DTZ001
def test_a_window_is_in_its_own_zone_in_winter_and_summer(condition: str, day: datetime) -> None:
    nine = day.replace(hour=9, tzinfo=BERLIN).astimezone(UTC)
    assert open_at(condition, nine)
    assert not open_at(condition, nine - timedelta(minutes=1))
    assert open_at(condition, nine + timedelta(hours=7, minutes=59))
    assert not open_at(condition, nine + timedelta(hours=8))


def test_a_window_over_midnight_belongs_to_the_day_it_begins() -> None:
    friday_night = "{type: time_window, start: '22:00', end: '06:00', days: [friday]}"
    friday = datetime(2026, 3, 6, tzinfo=UTC)
    assert open_at(friday_night, friday + timedelta(hours=22))
    assert open_at(friday_night, friday + timedelta(hours=29, minutes=59))
    assert not open_at(friday_night, friday + timedelta(hours=30))
    assert not open_at(friday_night, friday + timedelta(hours=5))
    assert not open_at(friday_night, friday + timedelta(hours=47))


@given(st.integers(0, 1439), st.integers(0, 1440), st.sets(st.integers(0, 6), min_size=1), st.integers(0, 7 * 1440 - 1))
def test_a_window_is_open_for_as_long_as_it_says(start: int, end: int, days: set[int], at: int) -> None:
    if start == end:
        return
    length = (end - start) % 1440 or 1440
    begins = [(day + week * 7) * 1440 + start for day in days for week in (-1, 0)]
    expected = any(begin <= at < begin + length for begin in begins)
    now = datetime(2026, 3, 2, tzinfo=UTC) + timedelta(minutes=at)
    assert Window(start, end, frozenset(days), UTC).holds(now) is expected


@pytest.mark.parametrize(
    ("network", "address", "holds"),
    [
        ("10.0.0.0/8", "10.200.3.4", True),
        ("10.0.0.0/8", "11.0.0.1", False),
        ("10.0.0.0/8", "::ffff:10.0.0.1", True),
        ("192.168.1.7", "192.168.1.7", True),
        ("[10.0.0.0/8, 'fd00::/8']", "fd12::1", True),
        ("fe80::/10", "fe80::1%eth0", True),
        ("0.0.0.0/0", "", False),
        ("0.0.0.0/0", "nonsense", False),
    ],
)
def test_fault_2_source_ip_is_a_network(network: str, address: str, holds: bool) -> None:
    rules = (
        f"defaults: {{allow_methods: []}}\nrules: [{{name: r, conditions: [{{source_ip: {network}}}], allow: true}}]"
    )
    assert (decided(rules, calling(address=address)).outcome == "allow") is holds


def test_an_address_that_cannot_be_read_is_denied_by_a_network() -> None:
    rules = "rules: [{name: r, conditions: [{source_ip: 203.0.113.0/24}], deny: true}]"
    assert decided(rules, calling(address="nonsense")).rule == "r"
    assert decided(rules, calling(address="")).outcome == "allow"


def test_all_conditions_must_hold_those_of_a_block_too() -> None:
    rules = """
defaults: {allow_methods: []}
rules:
  - name: r
    conditions: [{auth_profile: main, environment: no}, {type: source_ip, value: 10.0.0.0/8}]
    allow: {conditions: [{time_window: weekdays}]}
"""
    good = {"auth_profile": "main", "environment": "no", "address": "10.0.0.1"}
    assert decided(rules, calling(**good)).outcome == "allow"
    saturday = datetime(2026, 3, 7, tzinfo=UTC)
    for bad in ({"auth_profile": "other"}, {"environment": ""}, {"address": "8.8.8.8"}, {"now": saturday}):
        assert decided(rules, calling(**good | bad)).outcome == "deny", bad

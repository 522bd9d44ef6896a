from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import InputError, LimitError
from knowgate.guard import limits as module
from knowgate.guard.limits import Limits, RateLimited, Rule, read_rule


def passes(limits: Limits, group: str, who: str) -> bool:
    try:
        limits.check(group, who)
    except RateLimited:
        return False
    return True


def test_as_often_as_the_rule_says_and_not_once_more() -> None:
    limits = Limits({"chat": "3/day"})
    assert [passes(limits, "chat", "ann") for _ in range(5)] == [True, True, True, False, False]


def test_callers_and_groups_are_counted_apart() -> None:
    limits = Limits({"chat": "1/day", "search": "1/day"})
    for group in ("chat", "search"):
        for who in ("ann", "bob", "ann/bob"):
            assert passes(limits, group, who)
            assert not passes(limits, group, who)


def test_the_refusal_says_the_rule_and_when_to_come_again() -> None:
    limits = Limits({"chat": "2/hour"})
    limits.check("chat", "ann")
    limits.check("chat", "ann")
    with pytest.raises(LimitError) as error:
        limits.check("chat", "ann")
    refusal = error.value
    assert isinstance(refusal, RateLimited)
    assert (refusal.code, refusal.http_status) == ("rate_limited", 429)
    assert 1 <= refusal.retry_after <= 30 * 60
    assert "2 requests per hour" in refusal.message
    assert str(refusal.retry_after) in refusal.fix


def test_who_waits_as_told_is_let_in() -> None:
    now = 0.0
    limits = Limits({"chat": "3/minute"}, clock=lambda: now)
    while passes(limits, "chat", "ann"):
        pass
    with pytest.raises(RateLimited) as error:
        limits.check("chat", "ann")
    assert error.value.retry_after == 20
    now += error.value.retry_after
    assert [passes(limits, "chat", "ann") for _ in range(2)] == [True, False]
    now += 60
    assert [passes(limits, "chat", "ann") for _ in range(4)] == [True, True, True, False]


@given(st.lists(st.floats(0, 30), min_size=1, max_size=200))
def test_in_no_unit_of_time_more_than_twice_the_rule(pauses: list[float]) -> None:
    """All at once, and then evenly: that is the most."""
    now = 0.0
    limits = Limits({"chat": "5/minute"}, clock=lambda: now)
    passed: list[float] = []
    for pause in pauses:
        now += pause
        if passes(limits, "chat", "ann"):
            passed.append(now)
    assert all(sum(start <= at < start + 60 for at in passed) <= 10 for start in passed)


@pytest.mark.parametrize("rule", ["", " ", "off", "OFF"])
def test_no_limit(rule: str) -> None:
    limits = Limits({"chat": rule})
    assert all(passes(limits, "chat", "ann") for _ in range(1000))


def test_threads_together_get_no_more_than_one_alone() -> None:
    limits = Limits({"chat": "100/day"})
    begin = threading.Barrier(8)

    def call(_: int) -> int:
        begin.wait(60)
        return sum(passes(limits, "chat", "ann") for _ in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(call, range(8))) == 100


def test_memory_is_bounded_whoever_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_CALLERS", 50)
    limits = Limits({"chat": "1/day"})
    for number in range(500):
        limits.check("chat", f"caller {number}")
        assert len(limits._worked_off) <= 50


@pytest.mark.parametrize(
    "rule",
    [
        "often",
        "600",
        "600/",
        "/minute",
        "0/minute",
        "-1/minute",
        "1.5/minute",
        "600/fortnight",
        "2/month",
        "2 per 30 minutes",
        "1/second; 10/minute",
        "9" * 5000 + "/minute",
        "1 per " + "9" * 400 + " days",
    ],
)
def test_bad_rules(rule: str) -> None:
    with pytest.raises(InputError) as error:
        Limits({"chat": rule})
    assert error.value.code == "bad_rate"
    assert "600/minute" in error.value.fix


@given(st.text())
def test_a_rule_is_read_or_refused(text: str) -> None:
    try:
        rule = read_rule(text)
    except InputError:
        return
    assert rule is None or rule.amount >= 1


@given(st.integers(1, 10**9 - 1), st.sampled_from(["second", "minute", "hour", "day"]))
def test_what_settings_allow_is_read(amount: int, unit: str) -> None:
    rule = read_rule(f"{amount}/{unit}")
    assert rule is not None
    assert (rule.amount, rule.unit) == (amount, unit)


def test_several_limits_count_together_or_not_at_all() -> None:
    limits = Limits({})
    tight, wide = Rule(1, "day"), Rule(2, "day")
    limits.check_all([(wide, "all", ""), (tight, "one", "ann")])
    with pytest.raises(RateLimited):
        limits.check_all([(wide, "all", ""), (tight, "one", "ann")])
    limits.check_all([(wide, "all", ""), (tight, "one", "bob")])
    with pytest.raises(RateLimited):
        limits.check_all([(wide, "all", ""), (tight, "one", "eve")])
    limits.check_all([(tight, "one", "eve")])

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from knowgate.errors import ForbiddenError
from knowgate.guard.budgets import Budgets
from knowgate.guard.limits import RateLimited, Rule
from knowgate.guard.quotas import CallLimits, Claimant, Quota, Quotas
from knowgate.guard.switch import Switch
from knowgate.model import LOCAL
from knowgate.store.sqlite.store import SqliteStore

CALL = Claimant("ann", "getPet", "h1", "pets")
Open = Callable[[Quotas], CallLimits]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


@pytest.fixture
def open_limits(store: SqliteStore, clock: Clock) -> Open:
    return lambda quotas: CallLimits(quotas, Switch(store, clock), Budgets(store), clock)


def refusal(limits: CallLimits, call: Claimant, by_rule: Mapping[str, Quota] | None = None) -> str:
    """Empty when the call is admitted."""
    try:
        with limits.admit(call, by_rule):
            return ""
    except RateLimited as error:
        assert error.retry_after >= 1
        assert error.fix
        return error.code


@pytest.mark.parametrize("of", ["everybody", "principal", "api", "operation"])
def test_each_is_counted_for_itself(open_limits: Open, of: str) -> None:
    limits = open_limits(Quotas(**{of: Quota(rates=(Rule(1, "day"),))}))
    stranger = Claimant("bob", "listCats", "h2", "cats")
    assert refusal(limits, CALL) == ""
    assert refusal(limits, stranger) == ("rate_limited" if of == "everybody" else "")
    in_common = stranger if of == "everybody" else replace(stranger, **{of: getattr(CALL, of)})
    assert refusal(limits, in_common) == "rate_limited"


def test_several_rates_at_once(open_limits: Open, clock: Clock) -> None:
    limits = open_limits(Quotas(principal=Quota(rates=(Rule(2, "minute"), Rule(3, "hour")))))
    assert [refusal(limits, CALL) for _ in range(3)] == ["", "", "rate_limited"]
    clock.now += 60
    assert [refusal(limits, CALL) for _ in range(2)] == ["", "rate_limited"]


def test_what_one_limit_refuses_no_other_counts(open_limits: Open) -> None:
    limits = open_limits(Quotas(everybody=Quota(rates=(Rule(2, "day"),)), operation=Quota(rates=(Rule(1, "day"),))))
    assert [refusal(limits, CALL) for _ in range(5)] == ["", *["rate_limited"] * 4]
    assert refusal(limits, replace(CALL, operation="listPets")) == ""


def test_calls_at_a_time(open_limits: Open) -> None:
    limits = open_limits(Quotas(principal=Quota(at_once=2)))
    with ExitStack() as stack:
        stack.enter_context(limits.admit(CALL))
        stack.enter_context(limits.admit(CALL))
        assert refusal(limits, CALL) == "too_many_at_once"
        assert refusal(limits, replace(CALL, principal="bob")) == ""
    assert refusal(limits, CALL) == ""


def test_a_call_that_fails_makes_room(open_limits: Open) -> None:
    limits = open_limits(Quotas(everybody=Quota(at_once=1, rates=(Rule(3, "day"),))))
    for _ in range(3):
        with pytest.raises(ValueError, match="inside"), limits.admit(CALL):
            raise ValueError("inside")
    assert [refusal(limits, CALL) for _ in range(2)] == ["rate_limited"] * 2
    assert not limits._running


def test_costs(open_limits: Open, store: SqliteStore) -> None:
    quotas = Quotas(principal=Quota(daily_cost=1.0), everybody=Quota(daily_cost=1.5))
    limits = open_limits(quotas)
    dear = replace(CALL, cost=0.5)
    assert [refusal(limits, dear) for _ in range(3)] == ["", "", "budget_spent"]
    assert refusal(open_limits(quotas), dear) == "budget_spent"
    assert refusal(limits, replace(dear, principal="bob")) == ""
    assert refusal(limits, replace(dear, principal="eve")) == "budget_spent"
    assert refusal(limits, CALL) == ""


def test_what_a_rule_of_the_policy_allows(open_limits: Open) -> None:
    limits = open_limits(Quotas())
    rule = {"deletes": Quota(rates=(Rule(1, "day"),))}
    assert [refusal(limits, CALL, rule) for _ in range(2)] == ["", "rate_limited"]
    assert refusal(limits, CALL) == ""
    assert refusal(limits, CALL, {"others": rule["deletes"]}) == ""


def test_threat_20_fifty_equal_calls(open_limits: Open, clock: Clock) -> None:
    limits = open_limits(Quotas(repeats=Rule(10, "minute")))
    assert [refusal(limits, CALL) for _ in range(50)] == [""] * 10 + ["loop"] * 40
    assert refusal(limits, replace(CALL, request_hash="h2")) == ""
    assert refusal(limits, replace(CALL, principal="bob")) == ""
    with pytest.raises(RateLimited) as error, limits.admit(CALL):
        pass
    clock.now += error.value.retry_after
    assert refusal(limits, CALL) == ""


def test_threat_20_the_kill_switch(open_limits: Open, store: SqliteStore, clock: Clock) -> None:
    limits = open_limits(Quotas())
    assert refusal(limits, CALL) == ""
    Switch(store).stop(LOCAL)
    clock.now += 1
    with pytest.raises(ForbiddenError) as error, limits.admit(CALL):
        pass
    assert error.value.code == "stopped"


def test_without_quotas_nothing_is_refused(open_limits: Open) -> None:
    limits = open_limits(Quotas())
    assert not any(refusal(limits, replace(CALL, cost=1e9)) for _ in range(100))

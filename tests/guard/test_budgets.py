from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from knowgate.guard.budgets import Budgets, Claim
from knowgate.guard.limits import RateLimited
from knowgate.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


def passes(budgets: Budgets, *claims: Claim) -> bool:
    try:
        budgets.spend(claims)
    except RateLimited as error:
        assert error.code == "budget_spent"
        return False
    return True


def test_as_much_as_there_is(store: SqliteStore) -> None:
    budgets = Budgets(store)
    assert [passes(budgets, Claim("ann", 0.1, 0.3)) for _ in range(5)] == [True, True, True, False, False]
    assert passes(budgets, Claim("bob", 0.3, 0.3))
    assert budgets.spent() == pytest.approx({"ann": 0.3, "bob": 0.3})


def test_all_or_nothing(store: SqliteStore) -> None:
    budgets = Budgets(store)
    assert not passes(budgets, Claim("everybody", 1, 10), Claim("ann", 1, 0.5))
    assert budgets.spent() == {}


def test_a_new_day(store: SqliteStore) -> None:
    now = datetime(2026, 3, 1, 23, 59, 50, 500_000, tzinfo=UTC)
    budgets = Budgets(store, lambda: now)
    budgets.spend([Claim("ann", 1, 1)])
    with pytest.raises(RateLimited) as error:
        budgets.spend([Claim("ann", 1, 1)])
    assert error.value.retry_after == 10
    assert "2026-03-02 00:00 UTC" in error.value.fix
    now += timedelta(seconds=10)
    budgets.spend([Claim("ann", 1, 1)])
    assert len(store.scan_records("spending")) == 1


def test_processes_share_it(store: SqliteStore, tmp_path: Path) -> None:
    stores = [store, *(SqliteStore(tmp_path) for _ in range(3))]

    def spend(each: SqliteStore) -> int:
        budgets = Budgets(each)
        return sum(passes(budgets, Claim("ann", 1, 20)) for _ in range(10))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(spend, stores)) == 20
    for each in stores[1:]:
        each.close()


def test_nothing_to_spend_writes_nothing(store: SqliteStore) -> None:
    Budgets(store).spend([])
    assert store.scan_records("spending") == []

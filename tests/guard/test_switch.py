from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowgate.errors import ForbiddenError
from knowgate.guard.switch import Switch
from knowgate.model import LOCAL, Principal
from knowgate.store.sqlite.store import SqliteStore

USER = Principal("k1", "ann", frozenset({"read", "write", "apis"}))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


def stopped(switch: Switch) -> bool:
    try:
        switch.check()
    except ForbiddenError as error:
        assert error.code == "stopped"
        return True
    return False


def test_stopped_and_resumed(store: SqliteStore) -> None:
    switch = Switch(store)
    switch.check()
    switch.stop(LOCAL, "runaway agent")
    with pytest.raises(ForbiddenError) as error:
        switch.check()
    assert "local: runaway agent" in error.value.message
    switch.resume(LOCAL)
    switch.resume(LOCAL)
    switch.check()


def test_only_administrators(store: SqliteStore) -> None:
    switch = Switch(store)
    for change in (switch.stop, switch.resume):
        with pytest.raises(ForbiddenError) as error:
            change(USER)
        assert error.value.code == "admin_only"
    assert not stopped(switch)
    switch.stop(LOCAL)
    assert stopped(switch)


def test_other_processes_see_it_within_a_second(store: SqliteStore, tmp_path: Path) -> None:
    now = 0.0
    switch = Switch(store, lambda: now)
    other = SqliteStore(tmp_path)
    assert not stopped(switch)
    Switch(other).stop(LOCAL)
    assert not stopped(switch)  # asked a moment ago
    now += 0.999
    assert stopped(switch)
    Switch(other).resume(LOCAL)
    now += 0.999
    assert not stopped(switch)
    other.close()


def test_with_the_real_clock(store: SqliteStore, tmp_path: Path) -> None:
    switch = Switch(store)
    assert not stopped(switch)
    other = SqliteStore(tmp_path)
    Switch(other).stop(LOCAL)
    other.close()
    while not stopped(switch):
        time.sleep(0.05)

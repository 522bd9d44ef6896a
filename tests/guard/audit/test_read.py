from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.errors import InputError
from knowgate.guard.audit.log import Rotation
from knowgate.guard.audit.read import Wanted, read, read_all
from knowgate.guard.audit.record import Call, Result
from knowgate.guard.audit.trail import Attempt, Trail
from knowgate.model import LOCAL, Principal

Make = Callable[..., None]
CALL = Call(LOCAL, "knowgate_search", "h", "allow")


def test_an_empty_trail(folder: Path) -> None:
    assert read(folder).records == ()


def test_newest_first_one_record_for_each_call(folder: Path) -> None:
    trail = Trail(folder)
    done = trail.attempt(CALL)
    trail.outcome(done, Result("success"))
    trail.refused(replace(CALL, decision="deny"), "policy_denied")
    running = trail.attempt(CALL)
    records = read(folder).records
    assert [record["event"] for record in records] == ["attempt", "refused", "outcome"]
    assert (records[0]["id"], records[2]["id"]) == (running.id, done.id)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calls that overlap, some without an outcome, over several files."""
    folder = tmp_path_factory.mktemp("mixed") / "audit"
    trail = Trail(folder, Rotation(most_bytes=2500))
    running: list[Attempt] = []
    for number in range(40):
        running.append(trail.attempt(replace(CALL, tool=f"tool_{number % 3}")))
        if number % 5 == 0:
            trail.refused(CALL, "policy_denied")
        if len(running) > 3:
            trail.outcome(running.pop(number % 3), Result("success" if number % 2 else "error"))
    return folder


@settings(max_examples=30)
@given(st.integers(1, 60), st.sampled_from([Wanted(), Wanted(tool="tool_?"), Wanted(status="error")]))
def test_pages_together_are_everything_once(mixed: Path, limit: int, wanted: Wanted) -> None:
    found: list[str] = []
    cursor = ""
    while True:
        page = read(mixed, wanted, limit, cursor)
        found += [record["id"] for record in page.records]
        assert len(page.records) == limit or not page.cursor
        if not page.cursor:
            break
        cursor = page.cursor
    assert found == [record["id"] for record in read_all(mixed, wanted)]
    assert len(found) == len(set(found))
    assert len(found) == {"": 48, "tool_?": 40}.get(wanted.tool, 0) or wanted.status


def test_what_is_wanted(folder: Path) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    trail = Trail(folder, Rotation(daily=False), lambda: now)
    ann = Principal("k1", "ann", frozenset({"read"}))
    for tool, principal, decision in [("a_one", LOCAL, "allow"), ("a_two", ann, "allow"), ("b_one", ann, "deny")]:
        trail.refused(replace(CALL, tool=tool, principal=principal, decision=decision), "x")
        now += timedelta(hours=1)

    def tools(**wanted: object) -> list[str]:
        return [record["tool"] for record in read(folder, Wanted(**wanted)).records]

    assert tools(tool="a_*") == ["a_two", "a_one"]
    assert tools(operation="?_one") == ["b_one", "a_one"]
    assert tools(principal="ann") == tools(principal="k1") == ["b_one", "a_two"]
    assert tools(decision="deny") == ["b_one"]
    assert tools(status="denied") == ["b_one", "a_two", "a_one"]
    assert tools(status="success") == []
    assert tools(since=datetime(2026, 3, 1, 13, tzinfo=UTC)) == ["b_one", "a_two"]
    berlin = timezone(timedelta(hours=1))
    assert tools(until=datetime(2026, 3, 1, 14, tzinfo=berlin)) == ["a_two", "a_one"]
    (one,) = read(folder, Wanted(tool="a_one")).records
    assert tools(id=one["id"]) == ["a_one"]


def test_lines_longer_than_a_block(folder: Path) -> None:
    trail = Trail(folder)
    for size in (200_000, 1, 65_536, 3):
        trail.attempt(replace(CALL, arguments={"text": "x" * size}, raw=True))
    sizes = [len(record["operation"]["parameters"]["text"]) for record in read(folder).records]
    assert sizes == [3, 65_536, 1, 200_000]


def test_damage_is_passed_over(folder: Path, make: Make) -> None:
    make(Trail(folder, Rotation(most_bytes=2000)), 6)
    packed = min(folder.glob("*.gz"))
    packed.write_bytes(packed.read_bytes()[:-30])
    with (folder / "mcp-audit-current.log").open("ab") as file:
        file.write(b'\xff\xff\n[1]\n"x"\n{}\n{"sequence":"x"}\n{"sequence":99,"event":"refused","operation":3}\n{"half')
    records = read(folder).records
    assert records[0]["sequence"] == 99
    assert len(records) > 3


@pytest.mark.parametrize("cursor", ["x", "-", "1-", "１", "9" * 5000, "-1"])
def test_bad_cursors(folder: Path, cursor: str) -> None:
    with pytest.raises(InputError) as error:
        read(folder, cursor=cursor)
    assert error.value.code == "bad_cursor"


def test_a_time_outside_the_calendar() -> None:
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    last = datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14)))
    for since, until in ((first, None), (None, last)):
        with pytest.raises(InputError, match="outside the calendar"):
            Wanted(since=since, until=until)

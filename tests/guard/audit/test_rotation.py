from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from knowgate.guard.audit.log import Rotation
from knowgate.guard.audit.read import read_all
from knowgate.guard.audit.trail import Trail
from knowgate.guard.audit.verify import verify

Make = Callable[..., None]


def closed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("mcp-audit-2*"))


def test_a_new_file_every_day_in_utc(folder: Path, make: Make) -> None:
    now = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    trail = Trail(folder, now=lambda: now)
    make(trail, 1)
    assert closed(folder) == []
    now += timedelta(minutes=1)
    make(trail, 2)
    assert closed(folder) == ["mcp-audit-2026-03-01-000000000001.log.gz"]
    first = orjson.loads((folder / "mcp-audit-current.log").read_bytes().splitlines()[0])
    assert (first["event"], first["file"]) == ("checkpoint", "mcp-audit-2026-03-01-000000000001.log")
    assert verify(folder) == []


def test_not_daily(folder: Path, make: Make) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    trail = Trail(folder, Rotation(daily=False), lambda: now)
    make(trail, 1)
    now += timedelta(days=3)
    make(trail, 1)
    assert closed(folder) == []


def test_the_oldest_go_and_are_not_missed(folder: Path, make: Make) -> None:
    trail = Trail(folder, Rotation(most_bytes=1000, keep=3))
    make(trail, 1)
    with (folder / "mcp-audit-current.log").open("ab") as file:
        file.write(b"torn")
    make(trail, 20)
    assert len(closed(folder)) == 3
    assert not list(folder.glob("*.part"))
    assert verify(folder) == []
    assert 0 < len(list(read_all(folder))) < 10
    (folder / closed(folder)[0]).unlink()
    assert [finding.code for finding in verify(folder)] == ["missing_file"]


def test_what_was_let_go_and_is_still_there_is_fine(folder: Path, make: Make) -> None:
    trail = Trail(folder, Rotation(most_bytes=1000, keep=2))
    make(trail, 4)
    kept = {folder / name: (folder / name).read_bytes() for name in closed(folder)}
    make(trail, 2)
    for path, content in kept.items():
        path.write_bytes(content)
    assert verify(folder) == []


def test_plain_files(folder: Path, make: Make) -> None:
    make(Trail(folder, Rotation(most_bytes=1000, compress=False)), 4)
    assert closed(folder)
    assert all(name.endswith(".log") for name in closed(folder))
    assert verify(folder) == []


def test_a_clock_that_goes_back(folder: Path, make: Make) -> None:
    now = datetime(2026, 3, 5, tzinfo=UTC)
    trail = Trail(folder, now=lambda: now)
    for _ in range(4):
        make(trail, 1)
        now -= timedelta(days=1)
    assert len(closed(folder)) == 3
    assert verify(folder) == []

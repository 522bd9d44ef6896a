"""Going on after a crash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import orjson

from knowgate.guard.audit.log import Rotation
from knowgate.guard.audit.trail import Trail
from knowgate.guard.audit.verify import verify

Make = Callable[..., None]


def current(folder: Path) -> Path:
    return folder / "mcp-audit-current.log"


def head(folder: Path) -> Path:
    return folder.with_name("audit.seal") / "head"


def events(folder: Path) -> list[str]:
    return [orjson.loads(line)["event"] for line in current(folder).read_bytes().splitlines()]


def test_half_a_line_is_kept_aside_and_noted(folder: Path, make: Make) -> None:
    make(Trail(folder), 1)
    with current(folder).open("ab") as file:
        file.write(b'{"id":"half a li')
    assert [(each.line, each.code) for each in verify(folder)] == [(3, "cut")]
    make(Trail(folder), 1)
    assert events(folder) == ["attempt", "outcome", "torn", "attempt", "outcome"]
    note = orjson.loads(current(folder).read_bytes().splitlines()[2])
    assert (folder / note["file"]).read_bytes() == b'{"id":"half a li'
    assert note["sha256"] == hashlib.sha256(b'{"id":"half a li').hexdigest()
    assert verify(folder) == []
    (folder / note["file"]).unlink()
    assert [(each.file, each.code) for each in verify(folder)] == [(note["file"], "missing_file")]


def test_a_line_that_the_head_had_not_heard_of(folder: Path, make: Make) -> None:
    trail = Trail(folder)
    make(trail, 1)
    old = head(folder).read_bytes()
    make(trail, 1)
    head(folder).write_bytes(old)
    assert verify(folder) == []
    make(Trail(folder), 1)
    assert events(folder) == ["attempt", "outcome"] * 3
    assert verify(folder) == []


def test_a_crash_in_the_middle_of_a_rotation(folder: Path, make: Make) -> None:
    make(Trail(folder), 1)
    day = orjson.loads(head(folder).read_bytes())["day"]
    current(folder).rename(folder / f"mcp-audit-{day}-000000000001.log")
    assert verify(folder) == []
    make(Trail(folder), 1)
    assert events(folder) == ["checkpoint", "attempt", "outcome"]
    assert verify(folder) == []


def test_a_crash_between_the_compressed_file_and_the_plain_one(folder: Path, make: Make) -> None:
    trail = Trail(folder, Rotation(most_bytes=5000, compress=False))
    make(trail, 8)
    plain = {path: path.read_bytes() for path in folder.glob("mcp-audit-2*.log")}
    make(Trail(folder, Rotation(most_bytes=5000)), 8)
    for path, content in plain.items():
        path.write_bytes(content)
    assert plain
    assert verify(folder) == []
    make(Trail(folder, Rotation(most_bytes=5000)), 8)
    assert not list(folder.glob("mcp-audit-2*.log"))
    assert verify(folder) == []


def test_a_lost_head_is_built_from_the_files(folder: Path, make: Make) -> None:
    make(Trail(folder, Rotation(most_bytes=5000)), 12)
    current(folder).unlink()
    head(folder).unlink()
    make(Trail(folder, Rotation(most_bytes=5000)), 1)
    assert events(folder)[0] == "head_lost"
    assert [each.code for each in verify(folder)] == ["head_lost"]

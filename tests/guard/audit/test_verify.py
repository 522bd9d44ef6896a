"""Threat 14: whatever is done to the trail, the place is named."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.guard.audit.log import Rotation
from knowgate.guard.audit.record import Call
from knowgate.guard.audit.trail import Trail
from knowgate.guard.audit.verify import Finding, verify
from knowgate.model import LOCAL

Make = Callable[..., None]
SMALL = Rotation(most_bytes=4000)


def current(folder: Path) -> Path:
    return folder / "mcp-audit-current.log"


def rewrite(path: Path, change: Callable[[list[bytes]], object]) -> None:
    read = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = read.splitlines(keepends=True)
    change(lines)
    path.write_bytes(gzip.compress(b"".join(lines)) if path.suffix == ".gz" else b"".join(lines))


def places(findings: list[Finding]) -> list[tuple[str, int, str]]:
    return [(each.file, each.line, each.code) for each in findings]


def flip(line: bytes, at: int) -> bytes:
    return line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]


def closed(folder: Path) -> list[Path]:
    return sorted(folder.glob("mcp-audit-2*"))


def test_nothing_was_ever_written(folder: Path) -> None:
    assert verify(folder) == []
    assert not folder.exists()


def test_all_is_well(folder: Path, make: Make) -> None:
    make(Trail(folder, SMALL), 20)
    assert len(closed(folder)) > 2
    assert verify(folder) == []


def test_threat_14_a_flipped_byte(folder: Path, make: Make) -> None:
    make(Trail(folder), 5)
    rewrite(current(folder), lambda lines: lines.__setitem__(3, flip(lines[3], 60)))
    assert places(verify(folder)) == [("mcp-audit-current.log", 4, "changed")]


def test_threat_14_the_last_line_dropped(folder: Path, make: Make) -> None:
    make(Trail(folder), 5)
    rewrite(current(folder), lambda lines: lines.pop())
    (finding,) = verify(folder)
    assert places([finding]) == [("mcp-audit-current.log", 9, "missing_end")]
    assert "10" in finding.message


def test_it_stays_found_when_the_trail_goes_on(folder: Path, make: Make) -> None:
    make(Trail(folder), 5)
    rewrite(current(folder), lambda lines: lines.pop())
    make(Trail(folder), 2)
    (finding,) = verify(folder)
    assert places([finding]) == [("mcp-audit-current.log", 10, "missing")]
    assert "records 10 to 10" in finding.message


def test_threat_14_two_lines_swapped(folder: Path, make: Make) -> None:
    make(Trail(folder), 5)

    def swap(lines: list[bytes]) -> None:
        lines[4], lines[5] = lines[5], lines[4]

    rewrite(current(folder), swap)
    assert [(line, code) for _, line, code in places(verify(folder))] == [(5, "missing"), (6, "moved")]


@pytest.mark.parametrize("which", [0, 1, -1])
def test_threat_14_a_closed_file_removed(folder: Path, make: Make, which: int) -> None:
    make(Trail(folder, SMALL), 20)
    gone = closed(folder)[which]
    gone.unlink()
    (finding,) = verify(folder)
    assert (finding.file, finding.code) == (gone.name.removesuffix(".gz"), "missing_file")
    assert "records" in finding.message


def test_the_current_file_removed(folder: Path, make: Make) -> None:
    make(Trail(folder, SMALL), 20)
    current(folder).unlink()
    assert places(verify(folder)) == [("mcp-audit-current.log", 0, "missing_end")]
    make(Trail(folder, SMALL), 1)
    assert [finding.code for finding in verify(folder)] == ["missing"]


def test_all_files_removed(folder: Path, make: Make) -> None:
    make(Trail(folder), 1)
    shutil.rmtree(folder)
    assert [finding.code for finding in verify(folder)] == ["missing_end"]


@pytest.mark.parametrize("size", [1, 700, 2000])
def test_a_cut_file(folder: Path, make: Make, size: int) -> None:
    make(Trail(folder), 5)
    current(folder).write_bytes(current(folder).read_bytes()[:size])
    line = current(folder).read_bytes().count(b"\n") + 1
    assert ("mcp-audit-current.log", line, "cut") in places(verify(folder))
    assert verify(folder)[-1].code == "missing_end"
    make(Trail(folder), 1)
    assert "missing" in [finding.code for finding in verify(folder)]


def test_a_changed_line_in_a_compressed_file(folder: Path, make: Make) -> None:
    make(Trail(folder, SMALL), 20)
    path = closed(folder)[1]
    rewrite(path, lambda lines: lines.__setitem__(2, flip(lines[2], 30)))
    assert places(verify(folder)) == [(path.name, 3, "changed"), (path.name, 0, "changed")]


def test_a_cut_compressed_file(folder: Path, make: Make) -> None:
    make(Trail(folder, SMALL), 20)
    path = closed(folder)[0]
    path.write_bytes(path.read_bytes()[:-200])
    assert (path.name, "changed") in [(file, code) for file, _, code in places(verify(folder))]


def test_a_line_of_somebody_else(folder: Path, make: Make, tmp_path: Path) -> None:
    make(Trail(folder), 2)
    make(Trail(tmp_path / "other"), 3)
    foreign = (tmp_path / "other" / "mcp-audit-current.log").read_bytes().splitlines(keepends=True)[-1]
    rewrite(current(folder), lambda lines: lines.append(foreign))
    assert places(verify(folder)) == [("mcp-audit-current.log", 5, "changed")]
    make(Trail(folder), 1)
    assert places(verify(folder))[0] == ("mcp-audit-current.log", 5, "changed")


def test_a_line_written_twice(folder: Path, make: Make) -> None:
    make(Trail(folder), 2)
    rewrite(current(folder), lambda lines: lines.append(lines[-1]))
    assert places(verify(folder)) == [("mcp-audit-current.log", 5, "moved")]


def test_the_head_is_no_line(folder: Path, make: Make) -> None:
    make(Trail(folder), 2)
    head = (folder.with_name("audit.seal") / "head").read_bytes().rstrip()
    rewrite(current(folder), lambda lines: lines.append(head + b"\n"))
    assert places(verify(folder)) == [("mcp-audit-current.log", 5, "changed")]


@pytest.mark.parametrize("how", ["gone", "changed", "empty"])
def test_the_head_taken_away_with_the_last_line(folder: Path, make: Make, how: str) -> None:
    make(Trail(folder), 5)
    rewrite(current(folder), lambda lines: lines.pop())
    head = folder.with_name("audit.seal") / "head"
    match how:
        case "gone":
            head.unlink()
        case "changed":
            head.write_bytes(head.read_bytes().replace(b'"sequence":10', b'"sequence":09'))
        case _:
            head.write_bytes(b"")
    assert places(verify(folder)) == [("head", 0, "head_lost")]
    make(Trail(folder), 2)
    assert places(verify(folder)) == [("mcp-audit-current.log", 10, "head_lost")]


def test_an_older_trail_under_a_newer_head(folder: Path, make: Make, tmp_path: Path) -> None:
    trail = Trail(folder)
    make(trail, 2)
    shutil.copytree(folder, tmp_path / "copy")
    make(trail, 2)
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "copy", folder)
    assert [finding.code for finding in verify(folder)] == ["missing_end"]


def test_a_read_only_copy_can_be_verified(folder: Path, make: Make, tmp_path: Path) -> None:
    make(Trail(folder, SMALL), 10)
    shutil.copytree(folder.parent, tmp_path / "copy")
    (tmp_path / "copy" / "audit.seal" / "lock").unlink()
    assert verify(tmp_path / "copy" / "audit") == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trail with everything in it: compressed files, a torn line, a current file."""
    data = tmp_path_factory.mktemp("whole")
    trail = Trail(data / "audit", Rotation(most_bytes=1500))
    call = Call(LOCAL, "knowgate_search", "h", "allow", arguments={"query": "x"})
    for _ in range(4):
        trail.attempt(call)
    with current(data / "audit").open("ab") as file:
        file.write(b'{"id":"torn')
    for _ in range(3):
        trail.attempt(call)
    assert closed(data / "audit") and list((data / "audit").glob("*.part"))
    assert verify(data / "audit") == []
    return data


@given(st.data())
def test_any_changed_byte_anywhere_is_found(whole: Path, data: st.DataObject) -> None:
    files = sorted(path for path in whole.rglob("*") if path.is_file() and path.stat().st_size)
    path = data.draw(st.sampled_from(files))
    before = path.read_bytes()
    at = data.draw(st.integers(0, len(before) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != before[at]))
    try:
        path.write_bytes(before[:at] + bytes([byte]) + before[at + 1 :])
        assert verify(whole / "audit")
    finally:
        path.write_bytes(before)


@given(st.data())
def test_any_cut_anywhere_is_found(whole: Path, data: st.DataObject) -> None:
    files = sorted(path for path in (whole / "audit").iterdir())
    path = data.draw(st.sampled_from(files))
    before = path.read_bytes()
    begin = data.draw(st.integers(0, len(before) - 1))
    end = data.draw(st.integers(begin + 1, len(before)))
    try:
        path.write_bytes(before[:begin] + before[end:])
        assert verify(whole / "audit")
    finally:
        path.write_bytes(before)

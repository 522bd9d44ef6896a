from __future__ import annotations

import io

import pytest
from rich.console import Console

from knowgate.cli.progress import _Lines, counting, progress, time_left
from knowgate.cli.screen import Screen
from knowgate.knowledge.ingest import Progress


def test_plain_lines_are_few():
    clock = iter([0.0, 1.0, 2.0, 8.0, 9.0, 10.0])
    said: list[str] = []
    lines = _Lines(said.append, lambda: next(clock))
    for seen in (
        Progress("listing", 0, 0),
        Progress("reading", 0, 100),
        Progress("reading", 10, 100),
        Progress("reading", 70, 100),
        Progress("reading", 71, 100),
        Progress("embedding", 32, 640),
    ):
        lines(seen)
    assert said == [
        "Looking for files.",
        "Reading: 0 of 100 files.",
        "Reading: 70 of 100 files, about 3 s left.",
        "Vectors: 32 of 640 passages.",
    ]


@pytest.mark.parametrize(
    ("done", "to_do", "seconds", "told"),
    [(0, 10, 5, ""), (10, 0, 5, ""), (10, 20, 5, ", about 10 s left"), (1, 600, 1, ", about 10 min left")],
)
def test_time_left(done, to_do, seconds, told):
    assert time_left(done, to_do, seconds) == told


def test_bars_on_a_terminal():
    screen = Screen(json=False)
    screen.__dict__["err"] = Console(file=io.StringIO(), force_terminal=True, width=100)
    with progress(screen) as report:
        report(Progress("listing", 0, 0))
        report(Progress("reading", 1, 2, "[bold]odd\x1b name.md"))
        report(Progress("embedding", 5, 10))
    printed = screen.err.file.getvalue()
    assert "Reading" in printed
    assert "Vectors" in printed


def test_what_is_only_counted_has_a_bar_too():
    screen = Screen(json=False)
    screen.__dict__["err"] = Console(file=io.StringIO(), force_terminal=True, width=100)
    with counting(screen, "exporting") as report:
        report(3, 7)
    assert "Exporting" in screen.err.file.getvalue()
    assert "3/7" in screen.err.file.getvalue()


def test_json_is_silent():
    screen = Screen(json=True)
    with progress(screen) as report:
        report(Progress("reading", 1, 2))
    assert "err" not in screen.__dict__

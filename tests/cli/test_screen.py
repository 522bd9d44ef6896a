from __future__ import annotations

import io

import pytest
from rich.console import Console

from knowgate.cli.screen import Need, Screen, Tail, fit


def on(width: int, terminal: bool = True) -> Screen:
    screen = Screen(json=False)
    screen.__dict__["out"] = Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None)
    return screen


def printed(width: int, terminal: bool = True) -> list[str]:
    screen = on(width, terminal)
    rows = [("0123456789abcdef", "a name that is very long indeed", "12", Tail("/home/ada/projects/shop/refunds.md"))]
    columns = ("id", "name", "size", "source")
    screen.table(columns, rows, numbers=("size",), long=("name", "source"), extra=("size",))
    return screen.out.file.getvalue().splitlines()


def test_there_is_room():
    text = "\n".join(printed(120))
    assert "a name that is very long indeed" in text
    assert "/home/ada/projects/shop/refunds.md" in text
    assert "size" in text


def test_a_narrow_terminal_gets_less_and_nothing_is_broken():
    lines = [line for line in printed(50) if line.strip()]
    assert len(lines) == 3
    assert all(len(line) <= 50 for line in lines)
    assert "size" not in lines[0]
    assert "0123456789abcdef" in lines[2]
    assert "a name" in lines[2]
    assert lines[2].count("…") == 2
    assert lines[2].rstrip().endswith("refunds.md")


AUDIT = ("id", "time", "caller", "what", "decision", "rule", "status")
RECORD = (
    "c47aebb2-6546-4e81-a631-9484f253f6dd",
    "2026-11-16 14:52:28",
    "local",
    "POST cancelOrder",
    "allow",
    "default",
    "success",
)


def columns_of(screen: Screen) -> dict[str, str]:
    """What stands in each column, all its lines together."""
    head, _, *lines = [line for line in screen.out.file.getvalue().splitlines() if line.strip()]
    starts = [(head.index(name), name) for name in AUDIT if name in head]
    ends = [start for start, _ in starts[1:]] + [None]
    return {
        name: " ".join(" ".join(line[start:end] for line in lines).split())
        for (start, name), end in zip(starts, ends, strict=True)
    }


def test_the_usual_terminal_shows_an_id_that_can_be_copied_and_the_column_that_matters():
    screen = on(80)
    screen.table(AUDIT, [RECORD], whole=("what",), extra=("rule", "caller", "status"))
    assert all(len(line) <= 80 for line in screen.out.file.getvalue().splitlines())
    assert columns_of(screen) == {
        "id": RECORD[0],
        "time": RECORD[1],
        "what": RECORD[3],
        "decision": RECORD[4],
    }


@pytest.mark.parametrize("width", [30, 40, 60, 100, 200])
def test_nothing_of_a_whole_column_or_an_id_is_cut_at_any_width(width):
    screen = on(width)
    call = "cancelOrder: POST https://api.example.com/v1/orders/4711/cancel"
    screen.table(
        ("id", "asked by", "call"), [("0123456789abcdef", "a bot", call)], whole=("call",), extra=("asked by",)
    )
    text = screen.out.file.getvalue()
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    assert ("asked by" in text) == (width > 40)


def test_extra_columns_go_one_after_the_other():
    needs = {"id": Need(10, 10, 10), "a": Need(5, 5, 5), "b": Need(5, 5, 5), "text": Need(10, 10, 50)}
    assert list(fit(needs, 100, ("a", "b"))) == ["id", "a", "b", "text"]
    assert fit(needs, 35, ("a", "b")) == {"id": 10, "b": 5, "text": 12}
    assert fit(needs, 30, ("a", "b")) == {"id": 10, "text": 15}
    assert fit(needs, 20, ("a", "b")) == {"id": None, "text": None}

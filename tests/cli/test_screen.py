from __future__ import annotations

import io

from rich.console import Console

from knowgate.cli.screen import Screen, Tail


def printed(width: int, terminal: bool = True) -> list[str]:
    screen = Screen(json=False)
    screen.__dict__["out"] = Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None)
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

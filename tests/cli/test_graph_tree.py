from __future__ import annotations

import io
import sys

import pytest

from knowgate.cli.graph_tree import show_tree
from knowgate.cli.screen import Screen
from knowgate.model import Step

STEP = Step("orders", "SERVICE", steps=(Step("topic\x1b[31m", "TOPIC", ("←CONSUMES",), more=2),))


def test_a_tree(capsys: pytest.CaptureFixture[str]):
    show_tree(Screen(json=False), STEP)
    assert capsys.readouterr().out == ("orders [SERVICE]\n└─ ←CONSUMES: topic\ufffd[31m [TOPIC]\n   └─ … 2 more\n")


def test_a_terminal_without_these_signs(monkeypatch: pytest.MonkeyPatch):
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="replace")
    monkeypatch.setattr(sys, "stdout", plain)
    show_tree(Screen(json=False), STEP)
    plain.seek(0)
    assert plain.read() == "orders [SERVICE]\n`- <CONSUMES: topic?[31m [TOPIC]\n   `- ... 2 more\n"

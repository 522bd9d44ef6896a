"""The official checks of MCP servers, where Node and npm can be had."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNAVAILABLE = 77


@pytest.mark.parametrize("check", ["suite", "inspector"])
def test_ours_is_a_good_server(check: str) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "conformance.py"), check]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode == UNAVAILABLE:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr

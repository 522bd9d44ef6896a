"""A short run of the crash benchmark: whatever the moment of the kill, the index ends up the same."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_killed_at_random_moments_the_index_is_the_same() -> None:
    command = [sys.executable, "-m", "bench.crash", "--files", "60", "--kills", "6"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 rounds differ" in done.stdout

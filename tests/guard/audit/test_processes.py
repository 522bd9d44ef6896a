"""Several processes write one trail, and some of them die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from knowgate.guard.audit.read import read_all
from knowgate.guard.audit.record import Call
from knowgate.guard.audit.trail import Trail
from knowgate.guard.audit.verify import verify

CHILD = Path(__file__).with_name("child.py")


def start(folder: Path, records: int, most_bytes: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(CHILD), str(folder), str(records), str(most_bytes)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def test_eight_processes_write_a_thousand_records_each(folder: Path) -> None:
    """They find no folder, no key and no file at first, and rotate many times on their way."""
    processes = [start(folder, 1000, 500_000) for _ in range(8)]
    for process in processes:
        go(process)
    written = [id for process in processes for id in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0] * 8
    assert len(set(written)) == 4000
    assert verify(folder) == []
    records = list(read_all(folder))
    assert {record["id"] for record in records} == set(written)
    assert {record["event"] for record in records} == {"outcome"}
    assert len(list(folder.glob("*.log.gz"))) > 5
    assert not list(folder.glob("*.tmp"))


@pytest.mark.skipif(os.name == "nt", reason="kills")
def test_who_is_killed_leaves_a_trail_that_verifies(folder: Path, call: Call) -> None:
    for round in range(4):
        processes = [start(folder, 100_000, 20_000) for _ in range(2)]
        acknowledged: set[str] = set()
        for process in processes:
            go(process)
        for process in processes:
            assert process.stdout
            acknowledged |= {process.stdout.readline().strip() for _ in range(20 + 7 * round)}
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        assert acknowledged <= {record["id"] for record in read_all(folder)}
        # A line that breaks off is all that a crash may leave, until somebody goes on.
        assert {finding.code for finding in verify(folder)} <= {"cut"}
    Trail(folder).attempt(call)
    assert verify(folder) == []

"""What the processes of test_processes do: `child.py FOLDER RECORDS MOST_BYTES`."""

from __future__ import annotations

import sys
from pathlib import Path

from knowgate.guard.audit.log import Rotation
from knowgate.guard.audit.record import Call, Result
from knowgate.guard.audit.trail import Trail
from knowgate.model import LOCAL


def main() -> None:
    folder, records, most_bytes = sys.argv[1:]
    trail = Trail(Path(folder), Rotation(most_bytes=int(most_bytes), keep=1000))
    sys.stdin.readline()  # all begin at once
    for _ in range(int(records) // 2):
        attempt = trail.attempt(Call(LOCAL, "knowgate_search", "h", "allow", arguments={"query": "x"}))
        sys.stdout.write(f"{attempt.id}\n")
        sys.stdout.flush()
        trail.outcome(attempt, Result("success"))


if __name__ == "__main__":
    main()

"""What cannot be written is an error (threat 15)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from knowgate.errors import StorageError
from knowgate.guard.audit.record import Call
from knowgate.guard.audit.trail import Trail
from knowgate.guard.audit.verify import verify

Make = Callable[..., None]


def refused(trail: Trail, call: Call) -> StorageError:
    with pytest.raises(StorageError) as error:
        trail.attempt(call)
    assert error.value.code == "audit_unwritable"
    assert error.value.fix
    return error.value


def test_no_folder_can_be_made(tmp_path: Path, call: Call) -> None:
    (tmp_path / "data").write_text("a file")
    refused(Trail(tmp_path / "data" / "audit"), call)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="modes do not hold here")
def test_threat_15_read_only_folder(folder: Path, call: Call, make: Make) -> None:
    trail = Trail(folder)
    make(trail, 1)
    (folder / "mcp-audit-current.log").chmod(0o400)
    refused(trail, call)
    (folder / "mcp-audit-current.log").chmod(0o600)
    make(trail, 1)
    assert verify(folder) == []


HALF = """
import resource, sys
from pathlib import Path
from knowgate.errors import StorageError
from knowgate.guard.audit.record import Call
from knowgate.guard.audit.trail import Trail
from knowgate.model import LOCAL
trail = Trail(Path(sys.argv[1]))
call = Call(LOCAL, "t", "h", "allow", arguments={"text": "x" * 3000}, raw=True)
trail.attempt(call)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    trail.attempt(call)
except StorageError as error:
    sys.exit(0 if error.code == "audit_unwritable" else 1)
sys.exit(2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_threat_15_no_room_for_the_whole_line(folder: Path, make: Make) -> None:
    assert subprocess.run([sys.executable, "-c", HALF, str(folder)], check=False).returncode == 0
    content = (folder / "mcp-audit-current.log").read_bytes()
    assert content.endswith(b"\n")
    assert content.count(b"\n") == 1
    make(Trail(folder), 1)
    assert verify(folder) == []
    assert not list(folder.glob("*.part"))

"""Tasks done by a process of their own, which outlives the terminal that started it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knowgate.config.load import Loaded

LOG = "background.log"


def start(loaded: Loaded, task_ids: Sequence[str]) -> Path:
    """Start it; the file that its messages go to."""
    data = loaded.settings.data.absolute()
    log = data / LOG
    config = ["--config", str(loaded.file)] if loaded.file else []
    # -P: a folder of documents that happens to be the working directory must not offer modules to import.
    command = [sys.executable, "-P", "-m", "knowgate", "--data", str(data), *config, "tasks", "run", *task_ids]
    with log.open("ab") as messages:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0)
            | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    return log

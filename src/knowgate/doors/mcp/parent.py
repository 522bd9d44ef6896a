"""Ending with the program that started us, also when somebody else still holds its end of the pipe."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

_LOOK_SECONDS = 1.0


def watch_parent(gone: Callable[[], None]) -> None:
    """`gone` is called from a thread of its own."""
    threading.Thread(target=_watch, args=(os.getppid(), gone), name="knowgate-parent", daemon=True).start()


def _watch(parent: int, gone: Callable[[], None]) -> None:
    if sys.platform == "win32":
        _wait_on_windows(parent)
    else:
        # Orphans get another parent.
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
    gone()


def _wait_on_windows(parent: int) -> None:
    """A number may be given to another process, a handle stays with the one it was opened for."""
    import ctypes

    kernel: Any = ctypes.CDLL("kernel32")
    kernel.OpenProcess.restype = ctypes.c_void_p
    synchronize, forever = 0x00100000, 0xFFFFFFFF
    handle = kernel.OpenProcess(synchronize, False, parent)
    if handle:
        kernel.WaitForSingleObject(ctypes.c_void_p(handle), forever)
    else:
        threading.Event().wait()

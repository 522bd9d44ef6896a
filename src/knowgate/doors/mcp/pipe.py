"""The pipe to an AI app. Nothing but the protocol may be written to it, whatever a library prints."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO


def take_stdout() -> BinaryIO:
    """The pipe; what is printed from now on, by us or a child, goes to stderr."""
    pipe = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        # Started without a stderr: then it goes nowhere.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    return os.fdopen(pipe, "wb")


def is_pipe(descriptor: int) -> bool:
    """Whether somebody talks to us there, and not a terminal, a file or nobody."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)

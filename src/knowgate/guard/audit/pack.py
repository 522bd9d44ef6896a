"""Compressing a closed log."""

from __future__ import annotations

import hashlib
import os
import zlib
from io import BufferedWriter
from pathlib import Path

from knowgate.guard.audit.files import create_private

_PIECE = 1 << 20
_GZIP = 31
_QUICK = 1
"""Whoever rotates waits for it; better levels save little and take three times as long."""


def pack(path: Path) -> tuple[str, str]:
    """The compressed file's name and its sha256; the plain one is still there."""
    to = path.with_name(path.name + ".gz")
    temporary = path.with_name(path.name + ".tmp")
    digest = hashlib.sha256()
    squeeze = zlib.compressobj(_QUICK, zlib.DEFLATED, _GZIP)
    with path.open("rb") as log, BufferedWriter(create_private(temporary, "wb")) as file:
        piece = b"-"
        while piece:
            piece = log.read(_PIECE)
            packed = squeeze.compress(piece) if piece else squeeze.flush()
            digest.update(packed)
            file.write(packed)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(to)
    return to.name, digest.hexdigest()

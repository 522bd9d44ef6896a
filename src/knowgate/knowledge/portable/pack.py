"""Writing the archive's file: complete under its name, or not there at all."""

from __future__ import annotations

import errno
import hashlib
import os
import uuid
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from knowgate.errors import InputError, KnowgateError, StorageError
from knowgate.knowledge.portable.form import Member

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip file knows. Real times would make two archives of the same knowledge differ."""
_UNIX = 3
_PIECE = 1 << 20


@contextmanager
def new_file(to: Path, overwrite: bool) -> Generator[IO[bytes]]:
    """A temporary file beside the target, which takes its place once everything is written."""
    temporary = to.parent / f".{uuid.uuid4().hex}.tmp"
    try:
        _check_target(to, overwrite)
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(to)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _explained(to, error) from error


class Packing:
    """A zip file in the making, one member at a time; each is counted and hashed on its way."""

    def __init__(self, zip: zipfile.ZipFile) -> None:
        self._zip = zip
        self.members: dict[str, Member] = {}

    @contextmanager
    def member(self, name: str) -> Generator[Callable[[bytes], None]]:
        """The function that writes to it."""
        digest = hashlib.sha256()
        size = 0
        entry = zipfile.ZipInfo(name, _BEGINNING)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = _UNIX
        entry.external_attr = 0o100644 << 16
        # The header has the same form whatever the size turns out to be.
        with self._zip.open(entry, "w", force_zip64=True) as stream:

            def write(data: bytes) -> None:
                nonlocal size
                digest.update(data)
                size += len(data)
                stream.write(data)

            yield write
        self.members[name] = Member(size, digest.hexdigest())

    def copy(self, name: str, aside: IO[bytes]) -> None:
        """A member whose lines had to be put aside while another was written."""
        aside.seek(0)
        with self.member(name) as write:
            while piece := aside.read(_PIECE):
                write(piece)


def _check_target(to: Path, overwrite: bool) -> None:
    if not to.parent.is_dir():
        raise InputError("folder_not_found", f"There is no folder {to.parent}.", "Create it, or choose another target.")
    if to.is_dir():
        raise InputError("not_a_file", f"{to} is a folder.", "Give the name of the file to write.")
    if to.exists() and not overwrite:
        raise InputError("target_exists", f"{to} exists already.", "Choose another name, or add --overwrite.")


def _explained(to: Path, error: OSError) -> KnowgateError:
    if error.errno in _FULL:
        return StorageError(
            "disk_full",
            f"There is no room for the archive in {to.parent}; nothing was left there.",
            "Free some space, or export to another disk.",
        )
    return StorageError(
        "cannot_write",
        f"The archive {to} cannot be written: {error.strerror or error}.",
        "Check the permissions of the folder and the file, or choose another target.",
    )

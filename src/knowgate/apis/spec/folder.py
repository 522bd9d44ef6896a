"""The files beside a description on disk."""

from __future__ import annotations

from pathlib import Path

from knowgate.apis.spec.references import Reader


def folder_reader(folder: Path, limit: int = 32 * 2**20) -> Reader:
    """Reads files below the folder; a link that leads out of it is refused."""
    base = folder.resolve()

    def read(path: str) -> bytes:
        file = (base / path).resolve()
        if not file.is_relative_to(base):
            raise PermissionError(path)
        if file.stat().st_size > limit or not file.is_file():
            raise OSError(path)
        return file.read_bytes()

    return read

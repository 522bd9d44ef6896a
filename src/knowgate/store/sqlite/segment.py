"""Segment files: immutable, memory-mapped arrays beside the database. Lost or stale, they are rebuilt from it."""

from __future__ import annotations

import mmap
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
import orjson

Array = npt.NDArray[Any]

_MAGIC = b"KGSEG1\n\x00"
_ALIGN = 64
SUFFIX = ".seg"


class SegmentLost(Exception):
    """The file is missing or not what was written; the rows must be read from the database instead."""


def write_segment(folder: Path, arrays: Mapping[str, Array]) -> str:
    """Write the arrays so that the name exists only once all bytes are on disk. Returns the file's name."""
    folder.mkdir(parents=True, exist_ok=True)
    name = uuid.uuid4().hex + SUFFIX
    layout: dict[str, dict[str, Any]] = {}
    offset = 0
    # Little-endian whatever the machine: a data folder may move to another.
    arrays = {key: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for key, array in arrays.items()}
    for key, array in arrays.items():
        layout[key] = {"dtype": array.dtype.str, "shape": array.shape, "offset": offset, "crc": crc32(array.data)}
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    header = orjson.dumps({"arrays": layout, "bytes": offset})
    start = -(-(len(_MAGIC) + 8 + len(header)) // _ALIGN) * _ALIGN
    temporary = folder / (name + ".tmp")
    with temporary.open("wb") as file:
        file.write(_MAGIC + len(header).to_bytes(4, "little") + crc32(header).to_bytes(4, "little") + header)
        for key, array in arrays.items():
            file.seek(start + layout[key]["offset"])
            file.write(array.data)
        file.truncate(start + offset)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / name)
    _sync_folder(folder)
    return name


def map_segment(folder: Path, name: str, thorough: bool = False) -> dict[str, Array]:
    """The arrays of a file of the right form and length; `thorough` reads all of it, in case a byte has changed."""
    try:
        with (folder / name).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise SegmentLost(name) from error
    prefix = len(_MAGIC) + 8
    if mapped[: len(_MAGIC)] != _MAGIC:
        raise SegmentLost(name)
    length = int.from_bytes(mapped[len(_MAGIC) : len(_MAGIC) + 4], "little")
    header = mapped[prefix : prefix + length]
    if crc32(header) != int.from_bytes(mapped[len(_MAGIC) + 4 : prefix], "little"):
        raise SegmentLost(name)
    described = orjson.loads(header)
    start = -(-(prefix + length) // _ALIGN) * _ALIGN
    if len(mapped) != start + described["bytes"]:
        raise SegmentLost(name)
    arrays: dict[str, Array] = {}
    for key, at in described["arrays"].items():
        count = int(np.prod(at["shape"], dtype=np.int64))
        flat = np.frombuffer(mapped, dtype=np.dtype(at["dtype"]), count=count, offset=start + at["offset"])
        if thorough and crc32(flat.data) != at["crc"]:
            raise SegmentLost(name)
        arrays[key] = flat.reshape(at["shape"])
    return arrays


def sweep(folder: Path, keep: set[str], older_than: float) -> None:
    """Remove files nobody registered. A file still mapped by another process on Windows stays until next time."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.name in keep or not path.name.removesuffix(".tmp").endswith(SUFFIX):
            continue
        try:
            if path.stat().st_mtime < older_than:
                path.unlink()
        except OSError:
            continue


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

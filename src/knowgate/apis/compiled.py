"""An API compiled into one file: an index that is read at once, and operations that are decoded when asked for.

    magic · crc32 of the rest · length of the index · index · operations and schemas, each as JSON

The file is a cache beside what it was made from: lost, stale or damaged, it is made anew.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import orjson

from knowgate.apis.codec import api_from, operation_from
from knowgate.apis.operation import Api, Json, Operation, Schema
from knowgate.apis.spec.keywords import closure, references

if TYPE_CHECKING:
    from knowgate.apis.spec.references import Reader

_MAGIC = b"KGAPI\x00"
VERSION = 5
"""Of the file and of what loading makes of a description; one more whenever either changes."""
_HEAD = len(_MAGIC) + 8


@dataclass(frozen=True, slots=True)
class Entry:
    """An operation in a list."""

    id: str
    api: str
    method: str
    path: str
    summary: str
    tags: tuple[str, ...]
    deprecated: bool


class CompiledApi:
    def __init__(self, image: bytes) -> None:
        """ValueError, when the image is not whole."""
        start = _HEAD + int.from_bytes(image[_HEAD - 4 : _HEAD], "little")
        sound = crc32(image[len(_MAGIC) + 4 :]) == int.from_bytes(image[len(_MAGIC) : len(_MAGIC) + 4], "little")
        if not image.startswith(_MAGIC) or len(image) < start or not sound:
            raise ValueError("damaged")
        index = orjson.loads(image[_HEAD:start])
        self._image = memoryview(image)[start:]
        self._places: dict[str, tuple[int, int]] = {}
        self._schemas: dict[str, tuple[int, int]] = {name: (low, high) for name, low, high, _ in index["schemas"]}
        self._links: dict[str, list[str]] = {name: links for name, _, _, links in index["schemas"]}
        self.files: dict[str, str] = index["files"]
        """Beside the description: what else was read, and its hash."""
        self.info = api_from(index["api"])
        """Without the operations."""
        entries: list[Entry] = []
        for id, method, path, summary, tags, deprecated, low, high in index["operations"]:
            entries.append(Entry(id, self.info.name, method, path, summary, tuple(tags), deprecated))
            self._places[id] = (low, high)
        self.entries = tuple(entries)

    def operation(self, id: str) -> Operation:
        """KeyError, when there is none."""
        operation = operation_from(self._json(self._places[id]))
        asked = [*(each.schema for each in operation.parameters), *(each.schema for each in operation.bodies)]
        told = [schema for answer in operation.answers for schema in answer.content.values()]
        names = closure((name for schema in (*asked, *told) for name in references(schema)), self._links)
        return replace(operation, defs={name: self._json(self._schemas[name]) for name in sorted(names)})

    def _json(self, place: tuple[int, int]) -> Any:
        return orjson.loads(self._image[place[0] : place[1]])


def compile_api(
    data: bytes,
    *,
    name: str,
    source: str,
    folder: Path,
    read: Reader | None = None,
    overlays: Sequence[bytes] = (),
) -> CompiledApi:
    """The API of a description, from the cache in the folder if that still fits, else made anew and kept there."""
    key = _hash(str(VERSION).encode(), name.encode(), source.encode(), data, *overlays)
    stem = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:64]
    path = folder / f"{stem}.{key[:32]}.api"
    # Whatever is wrong with the file, it is only a cache.
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = CompiledApi(path.read_bytes())
        if all(read is not None and _hash(read(file)) == digest for file, digest in kept.files.items()):
            return kept
    from knowgate.apis.spec.load import load  # what a warm start does without

    files: dict[str, str] = {}
    recording = None if read is None else _recording(read, files)
    image = _image(load(data, name=name, source=source, read=recording, overlays=overlays), files)
    with suppress(OSError):
        _keep(image, path, stem)
    return CompiledApi(image)


def _recording(read: Reader, files: dict[str, str]) -> Reader:
    def recorded(path: str) -> bytes:
        data = read(path)
        files[path] = _hash(data)
        return data

    return recorded


def _keep(image: bytes, path: Path, stem: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        fresh.write_bytes(image)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    for old in path.parent.glob(f"{stem}.*.api"):
        if old != path:
            with suppress(OSError):
                old.unlink()


def _image(api: Api, files: Mapping[str, str]) -> bytes:
    pieces: list[bytes] = []
    at = 0

    def add(value: Json) -> tuple[int, int]:
        nonlocal at
        pieces.append(orjson.dumps(value))
        at += len(pieces[-1])
        return at - len(pieces[-1]), at

    schemas: dict[str, Schema] = {}
    operations: list[Json] = []
    for each in api.operations:
        schemas |= each.defs
        place = add(replace(each, defs={}))
        operations.append((each.id, each.method, each.path, each.summary, each.tags, each.deprecated, *place))
    index = orjson.dumps(
        {
            "api": asdict(replace(api, operations=())),
            "files": files,
            "operations": operations,
            "schemas": [
                (name, *add(schema), list(dict.fromkeys(references(schema)))) for name, schema in schemas.items()
            ],
        }
    )
    rest = len(index).to_bytes(4, "little") + index + b"".join(pieces)
    return _MAGIC + crc32(rest).to_bytes(4, "little") + rest


def _hash(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole.hexdigest()

"""FlowRAG's key-value folder: one JSON file for each key, named after it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson

from knowgate.errors import InputError
from knowgate.model import Fields

_NAMESPACED = re.compile(r"(.+?)_(?:chunk_|docHash_)?doc_")


@dataclass(frozen=True, slots=True)
class Damage:
    """Something that could not be brought over."""

    place: str
    reason: str


Report = Callable[[Damage], None]


@dataclass(frozen=True, slots=True)
class Files:
    """A document's key is the base64 of its path, as in the ids `doc:KEY` and `chunk:doc:KEY:0`."""

    documents: Mapping[str, Path]
    pieces: Mapping[str, Mapping[int, Path]]
    extractions: Mapping[str, Path]
    """By the hash of the passage."""


def list_files(folder: Path, prefix: str) -> Files:
    try:
        paths = sorted(path for path in (folder / "kv").iterdir() if path.suffix == ".json")
    except OSError:
        raise InputError(
            "not_flowrag",
            f"{folder} is not a FlowRAG data folder: there is no folder kv in it.",
            "Name the folder that `data` in flowrag.config.json names.",
        ) from None
    documents: dict[str, Path] = {}
    pieces: dict[str, dict[int, Path]] = defaultdict(dict)
    extractions: dict[str, Path] = {}
    others: set[str] = set()
    start = _safe(prefix)
    for path in paths:
        stem = _safe(path.stem)
        if not stem.startswith(start):
            continue
        key = stem.removeprefix(start)
        kind, _, rest = key.partition("_")
        if kind == "doc":
            documents[rest] = path
        elif kind == "extraction":
            extractions[rest] = path
        elif kind == "chunk" and (match := re.fullmatch(r"doc_(.+)_([0-9]{1,9})", rest)):
            pieces[match[1]][int(match[2])] = path
        elif kind != "docHash" and (match := _NAMESPACED.match(key)):
            others.add(match[1])
    if not documents and not pieces and others:
        raise InputError(
            "namespace_missing",
            f"{folder} holds documents of namespaces only: {', '.join(sorted(others))}.",
            "Say which one to import.",
        )
    return Files(documents, pieces, extractions)


def load(path: Path, report: Report) -> dict[str, Any]:
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        report(Damage(path.name, f"The file cannot be read: {error}."))
        return {}
    if not isinstance(value, dict):
        report(Damage(path.name, "The file does not hold what its name says."))
        return {}
    return cast("dict[str, Any]", value)


def scalars(value: Any) -> Fields:
    """The fields that we can keep: texts, numbers and truth values."""
    if not isinstance(value, dict):
        return {}
    return {
        str(key): item
        for key, item in cast("Mapping[object, object]", value).items()
        if isinstance(item, str | int | float)
    }


def _safe(key: str) -> str:
    """A key as a file name: newer versions of FlowRAG replace colons, too."""
    return re.sub(r"[/\\:]", "_", key)

"""Puts the index of a data folder on the cluster that OPENSEARCH_FOR_TESTS names, under a prefix of its own."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

BASE = "EVERYWHERE_BASE"
"""Names the folder in which each test of a run has a folder of its own."""


def group_of(data: Path) -> str:
    """What the prefixes of all data folders of a test begin with."""
    base, data = Path(os.environ[BASE]), data.resolve()
    inside = data.relative_to(base).parts if data.is_relative_to(base) else ()
    return f"everywhere-{_short(base)}-{_short(inside[0] if inside else '')}"


def prefix_of(data: Path) -> str:
    return f"{group_of(data)}-{_short(data.resolve())}"


def urls() -> tuple[str, ...]:
    return tuple(os.environ["OPENSEARCH_FOR_TESTS"].split(","))


def redirect(rooms: Any) -> None:
    """In a process that has read the module `rooms`: what would be in a data folder is on the cluster."""
    made, opened, exists = rooms.Rooms.__init__, rooms.open_store, rooms.store_exists

    def make(self: Any, settings: Any) -> None:
        made(self, settings.model_copy(update={"store": _there(settings.store, settings.data)}))

    def open_there(chosen: Any, data: Path) -> Any:
        return opened(_there(chosen, data), data)

    def exists_there(chosen: Any, data: Path) -> bool:
        return exists(_there(chosen, data), data)

    rooms.Rooms.__init__, rooms.open_store, rooms.store_exists = make, open_there, exists_there


def _there(chosen: Any, data: Path) -> Any:
    if chosen.provider == "opensearch":
        return chosen
    there = {"provider": "opensearch", "url": urls(), "prefix": prefix_of(data), "replicas": 0}
    return chosen.model_copy(update=there)


def _short(value: object) -> str:
    return hashlib.sha256(str(value).encode()).hexdigest()[:10]

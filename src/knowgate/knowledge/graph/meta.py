"""`flowrag.meta.json`: with what the graph was made, so that a changed configuration is noticed."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from knowgate.errors import StorageError

FILE_NAME = "flowrag.meta.json"


@dataclass(frozen=True, slots=True)
class Maker:
    """A provider, and its model unless it is the provider's own choice."""

    provider: str
    model: str | None = None

    def __str__(self) -> str:
        return f"{self.provider} ({self.model or 'its usual model'})"


@dataclass(frozen=True, slots=True)
class Meta:
    embedder: Maker
    extractor: Maker
    entity_types: tuple[str, ...]
    relation_types: tuple[str, ...]
    indexed_at: float
    documents: int

    @property
    def config_hash(self) -> str:
        made = json.dumps(self._made(), separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(made.encode()).hexdigest()[:8]

    def as_json(self) -> dict[str, Any]:
        at = datetime.fromtimestamp(self.indexed_at, UTC).isoformat(timespec="milliseconds")
        return {
            "configHash": self.config_hash,
            **self._made(),
            "lastIndexedAt": at.replace("+00:00", "Z"),
            "documentCount": self.documents,
        }

    def _made(self) -> dict[str, Any]:
        """The order of the keys is part of the hash."""
        return {
            "embedder": _maker(self.embedder),
            "extractor": _maker(self.extractor),
            "schema": {"entityTypes": list(self.entity_types), "relationTypes": list(self.relation_types)},
        }


@dataclass(frozen=True, slots=True)
class Change:
    kind: Literal["breaking", "minor"]
    sentence: str
    """What changed, what follows from it, and the fix."""


def read(data: Path) -> Meta | None:
    """What the last indexing wrote into the data folder; None before the first."""
    path = data / FILE_NAME
    try:
        match json.loads(path.read_bytes()):
            case {
                "embedder": {"provider": str(embedder), **by},
                "extractor": {"provider": str(extractor), **with_},
                "schema": {"entityTypes": [*entity_types], "relationTypes": [*relation_types]},
                "lastIndexedAt": str(at),
                "documentCount": int(documents),
            }:
                return Meta(
                    Maker(embedder, by.get("model")),
                    Maker(extractor, with_.get("model")),
                    tuple(map(str, entity_types)),
                    tuple(map(str, relation_types)),
                    datetime.fromisoformat(at).timestamp(),
                    documents,
                )
            case _:
                raise ValueError("fields are missing")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, OverflowError) as error:
        raise StorageError(
            "bad_meta",
            f"{path} cannot be read ({error}), so it is not known whether the configuration has changed.",
            "Index again with force; that writes it anew.",
        ) from error


def write(data: Path, meta: Meta) -> None:
    """Complete or not at all."""
    path = data / FILE_NAME
    fresh = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        data.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(meta.as_json(), indent=2, ensure_ascii=False), encoding="utf-8", newline="\n")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise StorageError(
            "cannot_write", f"{path} cannot be written: {error}.", "Check the folder's space and permissions."
        ) from error


def changes(old: Meta, new: Meta) -> list[Change]:
    """What is different since the last indexing. Custom fields do not count, and neither does the order of types."""
    found: list[Change] = []
    if old.embedder != new.embedder:
        found.append(
            Change(
                "breaking",
                f"The embedder changed from {old.embedder} to {new.embedder}; vectors of the two cannot be compared. "
                "Run `knowgate reembed` to make new ones from the stored passages.",
            )
        )
    kinds = {
        "entity types": (old.entity_types, new.entity_types),
        "relation types": (old.relation_types, new.relation_types),
    }
    differing = [f"{kind}: {said}" for kind, (before, now) in kinds.items() if (said := _difference(before, now))]
    if differing:
        found.append(
            Change(
                "minor",
                f"The schema changed ({'; '.join(differing)}); documents that are indexed already keep their types. "
                "Index again to give them the new ones.",
            )
        )
    if old.extractor != new.extractor:
        found.append(
            Change(
                "minor",
                f"The extractor changed from {old.extractor} to {new.extractor}; documents that are indexed already "
                "keep what the old one found. Index again to have them read by the new one.",
            )
        )
    return found


def _difference(before: Sequence[str], now: Sequence[str]) -> str:
    if sorted(before) == sorted(now):
        return ""
    added = [f"+{name}" for name in sorted(set(now) - set(before))]
    removed = [f"-{name}" for name in sorted(set(before) - set(now))]
    return " ".join(added + removed) or "one is named twice"


def _maker(maker: Maker) -> dict[str, str]:
    return {"provider": maker.provider, **({"model": maker.model} if maker.model else {})}

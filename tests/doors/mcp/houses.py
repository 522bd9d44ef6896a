"""Where the tools of a journey work: on a data folder in process, or on a server with a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.serving import knowgate, serving

Kind = Literal["in process", "remote"]
KINDS: tuple[Kind, ...] = ("in process", "remote")


@dataclass(frozen=True)
class House:
    kind: Kind
    arguments: tuple[str, ...]
    environ: dict[str, str]


@contextmanager
def house(kind: Kind, folder: Path, environ: Mapping[str, str] | None = None) -> Iterator[House]:
    """Fetching from this machine is allowed in both, so that a page of ours can be ingested."""
    data = folder / "data"
    fetching = {"KNOWGATE_FETCH_ALLOW_PRIVATE": "true", **(environ or {})}
    if kind == "in process":
        yield House(kind, ("--data", str(data)), fetching)
        return
    key = knowgate("keys", "create", "journey", "--scope", "admin", data=data).strip()
    with serving(data, fetching) as server:
        reach = {"KNOWGATE_API_KEY": key, "OPENRAG_API_KEY": key, "OPENRAG_URL": server.url}
        yield House(kind, (), {**reach, "KNOWGATE_URL": server.url})

"""A model server that speaks the real wire, and engines whose passages it reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from knowgate import Engine
from knowgate.config.settings import Extract, Settings
from knowgate.knowledge.extract.llm import ask

if TYPE_CHECKING:
    from model_server import ModelServer

# So that the tests below can say `from model_server import …`.
sys.path.insert(0, str(Path(__file__).parents[3]))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    from model_server import model_server

    with model_server() as server:
        yield server


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def reading(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Engine]]:
    """Engines on one folder, with the server's model; nobody waits between two tries."""
    monkeypatch.setattr(ask, "BREATH_SECONDS", 0.0)
    opened: list[Engine] = []

    def open_one(extract: dict[str, object] | None = None, **changes: object) -> Engine:
        chosen = {"provider": "openai", "model": "small", "base_url": server.base_url, **(extract or {})}
        opened.append(Engine(Settings(data=tmp_path / "data", extract=Extract(**chosen), **changes)))
        return opened[-1]

    yield open_one
    for engine in opened:
        engine.close()

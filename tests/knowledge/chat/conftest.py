"""A model server that speaks the real wire, and an event loop for the parts that stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from model_server import ModelServer

# So that the tests below can say `from model_server import …` and `from passages import …`.
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    from model_server import model_server

    with model_server() as server:
        yield server


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"

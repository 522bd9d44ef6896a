"""Nodes of their own, for tests that do harm to them."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "opensearch.py"


def _running(count: int) -> Iterator[list[Any]]:
    if not os.environ.get("OPENSEARCH_FOR_TESTS"):
        pytest.skip("no OpenSearch: `make test-opensearch` brings one up")
    running = runpy.run_path(str(SCRIPT))["running"]
    # Ports are looked for long before a node takes them, and two workers may be at it at once: each has its own.
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    step = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    script = running.__wrapped__.__globals__
    script["PORTS"] = script["PORTS"][number::step]
    with running(count, quick=True) as nodes:
        yield nodes


@pytest.fixture(scope="session")
def three_nodes() -> Iterator[list[Any]]:
    yield from _running(3)


@pytest.fixture(scope="session")
def lone_node() -> Iterator[Any]:
    for nodes in _running(1):
        yield nodes[0]

"""A pytest plugin that puts every index on a cluster: `pytest -p tests.store.opensearch.everywhere tests/engine …`.

Tests that open an engine in their own process then run against OpenSearch without knowing it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from knowgate import rooms
from knowgate.config.settings import Store as StoreSettings
from knowgate.store.opensearch.connection import Address, Cluster

_PREFIX = "everywhere"


def _urls() -> tuple[str, ...]:
    return tuple(os.environ["OPENSEARCH_FOR_TESTS"].split(","))


@pytest.fixture(autouse=True, scope="session")
def on_a_cluster() -> Iterator[None]:
    opened = rooms.open_store

    def open_there(chosen: StoreSettings, data: Path) -> Any:
        prefix = f"{_PREFIX}-{hashlib.sha256(str(data.resolve()).encode()).hexdigest()[:12]}"
        there = {"provider": "opensearch", "url": _urls(), "prefix": prefix, "replicas": 0}
        return opened(chosen.model_copy(update=there), data)

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(rooms, "open_store", open_there)
        yield


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    yield
    cluster = Cluster(Address(_urls()))
    cluster.ask("DELETE", f"/{_PREFIX}-*", missing_ok=True)
    cluster.close()

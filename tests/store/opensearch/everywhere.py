"""A pytest plugin that puts every index on a cluster: `python -m pytest -p tests.store.opensearch.everywhere tests`.

Tests then run against OpenSearch without knowing it, in their own process and in those that they start. Tests that are
about the file in the data folder say so with the marker `embedded` and are left out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.store.opensearch.site.redirect import BASE, group_of, prefix_of, redirect, urls

from knowgate import rooms
from knowgate.cli.store import _KINDS
from knowgate.store.copy import copy
from knowgate.store.opensearch.connection import Address, Cluster
from knowgate.store.opensearch.store import OpenSearchStore

SITE = Path(__file__).parent / "site"


@pytest.fixture(autouse=True, scope="session")
def on_a_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patching:
        patching.setenv(BASE, str(tmp_path_factory.getbasetemp().resolve()))
        patching.setenv("PYTHONPATH", str(SITE), prepend=os.pathsep)
        redirect(rooms)
        patching.setattr(shutil, "copytree", _with_indexes(shutil.copytree))
        yield
        _forget(f"{group_of(Path('/')).rpartition('-')[0]}-*")


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path: Path) -> Iterator[None]:
    yield
    _forget(f"{group_of(tmp_path)}-*")


def _with_indexes(copytree: Any) -> Any:
    def copy_both(source: Path, target: Path, *given: Any, **named: Any) -> Any:
        copied = copytree(source, target, *given, **named)
        cluster = Cluster(Address(urls()))
        if cluster.ask("GET", f"/{prefix_of(Path(source))}-knowledge", missing_ok=True):
            stores = [
                OpenSearchStore(Address(urls(), prefix=prefix_of(Path(each)), replicas=0)) for each in (source, target)
            ]
            copy(stores[0], stores[1], _KINDS, lambda done, total: None)
            for store in stores:
                store.close()
        cluster.close()
        return copied

    return copy_both


def _forget(pattern: str) -> None:
    cluster = Cluster(Address(urls()))
    cluster.ask("DELETE", f"/{pattern}", missing_ok=True)
    cluster.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    there = "OPENSEARCH_FOR_TESTS" in os.environ
    for item in items:
        if not there:
            item.add_marker(pytest.mark.skip(reason="no OpenSearch: `make test-opensearch-journeys` brings one up"))
        elif item.get_closest_marker("embedded"):
            item.add_marker(pytest.mark.skip(reason="about the file in the data folder"))

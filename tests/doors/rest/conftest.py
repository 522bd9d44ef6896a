"""A real server on two documents, one for each file of tests; what is special about it the file says in `chosen`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from tests.serving import listening

from knowgate import Engine
from knowgate.config.settings import Settings

DOCUMENTS = {
    "refunds.md": "# Refunds\n\nMoney goes back to the card within five days.\n",
    "guides/parcels.md": "# Parcels\n\nThe courier collects every parcel at noon.\n",
}


@pytest.fixture(scope="module")
def chosen() -> dict[str, Any]:
    return {}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, chosen: dict[str, Any]) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("rest")
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    with Engine(Settings(data=folder / "data", **chosen)) as engine:
        engine.ingest([folder / "docs"])
        yield engine


@pytest.fixture(scope="module")
def url(engine: Engine) -> Iterator[str]:
    with listening(engine, workers=True) as url:
        yield url


@pytest.fixture(scope="module")
def http(url: str) -> Iterator[httpx2.Client]:
    """Whoever sits at this machine: without a key."""
    with httpx2.Client(base_url=url, timeout=300) as client:
        yield client


@pytest.fixture(scope="module")
def holding(engine: Engine, url: str) -> Iterator[Callable[..., httpx2.Client]]:
    """A client with a key of its own."""
    clients: list[httpx2.Client] = []

    def client(*scopes: str, name: str = "somebody", filter_id: str | None = None) -> httpx2.Client:
        key, secret = engine.create_key(name, scopes, filter_id=filter_id)
        clients.append(httpx2.Client(base_url=url, timeout=300, headers={"x-api-key": secret, "x-key-id": key.id}))
        return clients[-1]

    yield client
    for each in clients:
        each.close()


@pytest.fixture(scope="module")
def finished() -> Callable[[httpx2.Client, httpx2.Response], dict[str, Any]]:
    """The task of an accepted ingestion at its end."""

    def wait(http: httpx2.Client, accepted: httpx2.Response) -> dict[str, Any]:
        assert accepted.status_code == 202, accepted.text
        while True:
            task = http.get(f"/api/v1/tasks/{accepted.json()['task_id']}", params={"wait_seconds": 25}).json()
            if task["status"] in ("completed", "failed"):
                return task

    return wait

"""A real service on loopback, and engines that may call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.apis.service import CLIENT_ID, CLIENT_SECRET, KEY, PASSWORD, TOKEN, USER, service

from knowgate import Engine
from knowgate.config.settings import Settings

WRITES = 'version: "1.0"\ndefaults: {require_auth: false, allow_methods: [GET, POST, PUT, PATCH, DELETE]}\n'


@pytest.fixture(scope="session")
def api() -> Iterator[str]:
    with service() as address:
        httpx2.get(f"{address}/openapi.json", timeout=60)  # made once, so that short patience is enough afterwards
        yield address


@pytest.fixture
def seen(api: str) -> Callable[[], list[dict[str, Any]]]:
    """What reached the service in this test."""
    httpx2.delete(f"{api}/seen", timeout=60)
    return lambda: httpx2.get(f"{api}/seen", timeout=60).json()


@pytest.fixture
def house(tmp_path: Path, api: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Engine]]:
    opened: list[Engine] = []
    for name, value in {"T": TOKEN, "P": PASSWORD, "K": KEY, "C": CLIENT_SECRET}.items():
        monkeypatch.setenv(f"SERVICE_{name}", value)

    def start(
        policy: str = "", auth: tuple[str, ...] = (), profiles: dict[str, Any] | None = None, **more: Any
    ) -> Engine:
        tree: dict[str, Any] = {
            "data": tmp_path / "data",
            "fetch": {"timeout_seconds": 5, "max_mb": 5},
            "apis": {"shop": {"spec": f"{api}/openapi.json", "base_url": api, "allow_private": True, "auth": auth}},
            "auth": {
                "token": {"type": "bearer", "secret_env": "SERVICE_T"},
                "basic": {"type": "basic", "user": USER, "secret_env": "SERVICE_P"},
                "header": {"type": "api_key", "header": "X-API-Key", "secret_env": "SERVICE_K"},
                "query": {"type": "api_key", "query": "api_key", "secret_env": "SERVICE_K"},
                "cookie": {"type": "api_key", "cookie": "api_session", "secret_env": "SERVICE_K"},
                "oauth": {
                    "type": "oauth2_client_credentials",
                    "client_id": CLIENT_ID,
                    "secret_env": "SERVICE_C",
                    "token_url": f"{api}/oauth/token",
                },
                **(profiles or {}),
            },
            **more,
        }
        if policy:
            (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
            tree["policy"] = {"file": tmp_path / "policy.yaml"}
        opened.append(Engine(Settings.model_validate(tree)))
        return opened[-1]

    yield start
    for engine in opened:
        engine.close()

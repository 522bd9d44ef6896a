"""A small API on loopback, described as in the agent's own examples, and our server in front of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import httpx2
import pytest
from tests.serving import listening

from knowgate import Engine
from knowgate.config.settings import Api, Policy, Server, Settings

REPO = {
    "name": "anthropic-sdk-python",
    "description": "SDK for Anthropic's API",
    "stars": 1234,
    "private_key": "hunter2-hunter2-hunter2",
}
FINE = {"responses": {"200": {"description": "fine"}}}
SPEC = {
    "openapi": "3.1.0",
    "info": {"title": "Hub", "version": "1"},
    "paths": {
        "/user/repos": {
            "get": {
                "operationId": "listRepos",
                "summary": "List repositories for authenticated user",
                "tags": ["repos"],
                **FINE,
            },
            "post": {"operationId": "createRepo", "summary": "Create a repository", "tags": ["repos"], **FINE},
        },
        "/repos/{owner}/{repo}": {
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in ("owner", "repo")
            ],
            "get": {"operationId": "getRepo", "summary": "Show a repository", "tags": ["repos"], **FINE},
            "delete": {"operationId": "deleteRepo", "summary": "Delete a repository", **FINE},
        },
        "/broken": {"get": {"operationId": "break", "summary": "Fails", **FINE}},
        "/long": {"get": {"operationId": "long", "summary": "A long answer", **FINE}},
    },
}
POLICY = """
version: "1.0"
defaults: {allow_methods: [GET], ask_methods: [POST], require_auth: false}
"""


class Hub(BaseHTTPRequestHandler):
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(f"{self.command} {self.path}")
        status = 503 if self.path == "/broken" else 404 if "nobody" in self.path else 200
        answers: dict[str, Any] = {
            "/user/repos": [REPO],
            "/long": [{"number": n, "text": "x" * 90} for n in range(900)],
        }
        body = json.dumps(answers.get(self.path, REPO)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET  # noqa: N815 - the names that the server looks for

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture(scope="module")
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, hub: str) -> Settings:
    folder: Path = tmp_path_factory.mktemp("hub")
    (folder / "hub.json").write_text(json.dumps(SPEC), encoding="utf-8")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return Settings(
        data=folder / "data",
        apis={"hub": Api(spec=str(folder / "hub.json"), base_url=hub, allow_private=True)},
        policy=Policy(file=folder / "policy.yaml"),
        server=Server(rate="off"),
    )


@pytest.fixture(scope="module")
def engine(settings: Settings) -> Iterator[Engine]:
    with Engine(settings) as engine:
        yield engine


@pytest.fixture(scope="module")
def url(engine: Engine) -> Iterator[str]:
    with listening(engine) as url:
        yield url


@pytest.fixture(scope="module")
def http(url: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
        yield client

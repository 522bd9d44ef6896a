"""A model server on loopback that speaks every wire, and misbehaves on request."""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

DIMENSION = 8
Trouble = Callable[["Handler"], None]


def vector_of(text: str) -> list[float]:
    """Some direction of its own for each text, not of unit length."""
    seed = zlib.crc32(text.encode())
    return [((seed >> (3 * place)) % 17 - 8) + 0.5 for place in range(DIMENSION)]


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class ModelServer:
    url: str = ""
    requests: list[Request] = field(default_factory=list[Request])
    troubles: list[Trouble] = field(default_factory=list[Trouble])
    """What happens to the next requests instead of an answer."""

    def wait_for(self, requests: int) -> None:
        """Until so many have come: a client in a hurry may have given up before the server has even looked."""
        deadline = time.monotonic() + 60
        while len(self.requests) < requests and time.monotonic() < deadline:
            time.sleep(0.01)

    def texts(self) -> list[str]:
        return [text for request in self.requests for text in texts_of(request.path, request.body)]


def texts_of(path: str, body: Any) -> list[str]:
    if path.endswith(":batchEmbedContents"):
        return [one["content"]["parts"][0]["text"] for one in body["requests"]]
    if path.endswith("/invoke"):
        return body["texts"] if "texts" in body else [body["inputText"]]
    return body["input"]


def answer_of(path: str, body: Any) -> Any:
    vectors = [vector_of(text) for text in texts_of(path, body)]
    if path.endswith("/embeddings"):
        items = [{"object": "embedding", "index": number, "embedding": vector} for number, vector in enumerate(vectors)]
        return {"object": "list", "data": items[::-1]}
    if path.endswith("/api/embed"):
        return {"model": body["model"], "embeddings": vectors}
    if path.endswith("/invoke"):
        if "titan" in path:
            return {"embedding": vectors[0]}
        return {"embeddings": {"float": vectors} if "v4" in path else vectors}
    return {"embeddings": [{"values": vector} for vector in vectors]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model_server: ModelServer
    release: threading.Event

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.model_server.requests.append(Request(self.path, dict(self.headers), body))
        if self.model_server.troubles:
            self.model_server.troubles.pop(0)(self)
        else:
            self.send_json(200, answer_of(self.path, body))

    def send_json(self, status: int, answer: Any, **headers: str) -> None:
        self.send_bytes(status, json.dumps(answer).encode(), **headers)

    def send_bytes(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ModelServer]:
    model_server, release = ModelServer(), threading.Event()
    handler = type("ServerHandler", (Handler,), {"model_server": model_server, "release": release})
    listener = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    listener.daemon_threads = True
    model_server.url = f"http://127.0.0.1:{listener.server_port}"
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield model_server
    release.set()
    listener.shutdown()
    listener.server_close()
    thread.join()

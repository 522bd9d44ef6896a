"""A model server on loopback that speaks OpenAI's wire, streaming included, and can be told to fail in many ways."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import orjson

Trouble = Literal[
    "",
    "rate_limited",  # 429 with Retry-After
    "broken",  # 500
    "refused_key",  # 401, and it repeats the key
    "unknown_model",  # 404
    "cut",  # the connection ends in the middle
    "ended",  # the stream ends in order, but without the end of the answer
    "silent",  # no first byte until the server is closed
    "pinging",  # signs of life, but no word
    "stalled",  # a few words, and then no more
    "malformed",  # no JSON
    "senseless",  # JSON, but not that of an answer
    "empty",  # an answer without a word
    "truncated",  # the model reached its length
    "error_event",  # an error inside the stream
]


@dataclass
class ModelServer:
    """What it does can be changed at any time."""

    base_url: str = ""
    words: Sequence[str] = ("Money goes back ", "within five days [1].")
    """What it says, in pieces."""
    answer: Callable[[dict[str, Any]], str] | None = None
    """Instead of `words`, what it says to a request."""
    tokens: tuple[int, int] | None = None
    """How many it says it has read and written."""
    trouble: Trouble = ""
    times: int = 1000
    """How many requests the trouble lasts for."""
    models: Sequence[str] = ("small", "large")
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    hold: threading.Event | None = None
    """Waits for it after the first piece."""
    closing: threading.Event = field(default_factory=threading.Event)

    def wait_for(self, requests: int) -> None:
        """Until so many have come: a client in a hurry may have given up before the server has even looked."""
        deadline = time.monotonic() + 60
        while len(self.requests) < requests and time.monotonic() < deadline:
            time.sleep(0.01)

    def trouble_now(self) -> Trouble:
        self.times -= 1
        return self.trouble if self.times >= 0 else ""


@contextmanager
def model_server() -> Generator[ModelServer]:
    state = ModelServer()

    class Handler(_Handler):
        model = state

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # Requests that are still held do not keep the test from ending.
    server.daemon_threads = True
    state.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    model: ModelServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.model.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.model.trouble_now() == "refused_key":
            self._json(401, {"error": {"message": "Bad key"}})
        elif self.path == "/v1/models" and self.model.trouble == "malformed":
            self._send(200, "application/json", b"{nonsense")
        elif self.path == "/v1/models":
            self._json(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.model.models]})
        else:
            self._json(404, {"error": {"message": "Not found"}})

    def do_POST(self) -> None:
        asked = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.model.requests.append(asked)
        self.model.headers.append({name.lower(): value for name, value in self.headers.items()})
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        trouble = self.model.trouble_now()
        if trouble == "rate_limited":
            self._json(429, {"error": {"message": "Slow down", "code": "rate_limit_exceeded"}}, {"Retry-After": "7"})
        elif trouble == "broken":
            self._json(500, {"error": {"message": "Out of memory"}})
        elif trouble == "refused_key":
            self._json(401, {"error": {"message": f"Incorrect API key provided: {key}"}})
        elif trouble == "unknown_model":
            self._json(404, {"error": {"message": f"model {asked['model']} not found", "code": "model_not_found"}})
        elif trouble == "silent":
            self.close_connection = True
            self.model.closing.wait(60)
        else:
            self._stream(asked, trouble)

    def _stream(self, asked: dict[str, Any], trouble: Trouble) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        # Said, not only done: a client that keeps the connection would send its next request into the closing one.
        self.send_header("Connection", "close")
        self.end_headers()
        with suppress(ConnectionError):  # The client may have heard enough.
            self._say(asked, trouble)

    def _say(self, asked: dict[str, Any], trouble: Trouble) -> None:
        if trouble == "malformed":
            return self._chunk(b"data: {nonsense\n\n")
        if trouble == "senseless":
            return self._chunk(b'data: {"choices": [{"delta": 7, "index": "x"}], "model": 3}\n\n')
        while trouble == "pinging" and not self.model.closing.wait(0.05):
            self._chunk(b": still here\n\n")
        words = (self.model.answer(asked), "") if self.model.answer else self.model.words
        words = () if trouble == "empty" else words
        self._event(asked, {"role": "assistant", "content": ""})
        for n, word in enumerate(words):
            if n == 1 and self.model.hold:
                self.model.hold.wait(60)
            if n == 1 and trouble == "stalled":
                self.model.closing.wait(60)
            if n == 1 and trouble in ("cut", "stalled"):
                return None
            if n == 1 and trouble == "error_event":
                return self._chunk(b'data: {"error": {"message": "GPU on fire", "type": "server_error"}}\n\n')
            self._event(asked, {"content": word})
        if trouble != "ended":
            self._event(asked, {}, "length" if trouble == "truncated" else "stop")
            if self.model.tokens:
                self._usage(asked, *self.model.tokens)
            self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")
        return None

    def _event(self, asked: dict[str, Any], delta: dict[str, Any], reason: str | None = None) -> None:
        event = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": asked["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        self._chunk(b"data: " + orjson.dumps(event) + b"\n\n")

    def _usage(self, asked: dict[str, Any], read: int, written: int) -> None:
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        about = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
        self._chunk(b"data: " + orjson.dumps({**about, "choices": [], "usage": usage}) + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _json(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        self._send(status, "application/json", orjson.dumps(body), headers)

    def _send(self, status: int, type: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": type, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass

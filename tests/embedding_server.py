"""A small embedding server on loopback that speaks the OpenAI wire."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson


class _Embeddings(BaseHTTPRequestHandler):
    hold: threading.Event | None = None

    def do_POST(self) -> None:
        asked = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.hold:
            self.hold.wait()
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        data = [
            {"index": n, "embedding": [1.0, len(text) % 7, len(text) % 5, 1.0 if "a" in text else 0.0]}
            for n, text in enumerate(texts)
        ]
        body = orjson.dumps({"object": "list", "model": asked["model"], "data": data})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # Who asked may be gone.
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def embeddings(hold: threading.Event | None = None) -> Iterator[str]:
    """The address. With `hold`, no vector is told before that is set."""

    class Handler(_Embeddings):
        pass

    Handler.hold = hold
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

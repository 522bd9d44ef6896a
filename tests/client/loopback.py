"""A small HTTP server on loopback that tells what it was asked and answers as it is told."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    """As it came over the wire, below /api/v1."""
    query: dict[str, str]
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def parts(self) -> list[str]:
        return [unquote(part) for part in self.path.strip("/").split("/")]

    @property
    def files(self) -> dict[str, bytes]:
        """Uploads by name, in the order in which they came."""
        boundary = b"--" + self.headers["content-type"].partition("boundary=")[2].encode()
        files: dict[str, bytes] = {}
        for part in self.content.split(boundary)[1:-1]:
            head, _, content = part.partition(b"\r\n\r\n")
            named = re.search(rb'; name="file"; filename="(.*?)"', head)
            assert named, head
            files[named[1].decode("utf-8")] = content.removesuffix(b"\r\n")
        return files


@dataclass(frozen=True)
class Answer:
    content: object = field(default_factory=dict)
    """What becomes JSON, or bytes as they are, or pieces that are streamed."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Break the connection instead of ending the answer."""


Respond = Callable[[Asked], Answer]


def events(*said: object) -> list[bytes]:
    return [b"data: " + json.dumps(each, ensure_ascii=False).encode() + b"\n\n" for each in said]


def stream(*pieces: bytes, cut: bool = False) -> Answer:
    return Answer(list(pieces), headers={"Content-Type": "text/event-stream"}, cut=cut)


@contextmanager
def serving(respond: Respond) -> Iterator[str]:
    """The address of a server that answers so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            path = address.path.removeprefix("/api/v1")
            asked = Asked(self.command, path, dict(parse_qsl(address.query)), headers, content)
            try:
                self._answer(respond(asked))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815

        def _answer(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if isinstance(answer.content, list):
                self._stream(answer.content, answer.cut)
                return
            content = answer.content if isinstance(answer.content, bytes) else json.dumps(answer.content).encode()
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if answer.cut else content)
            self.close_connection = answer.cut

        def _stream(self, pieces: Sequence[bytes], cut: bool) -> None:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if not cut:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = cut

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

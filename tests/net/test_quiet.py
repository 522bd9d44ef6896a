"""What passes through a client is in no log, however much the program around us wants to know."""

import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from knowgate.net import NetRules
from knowgate.net.client import open_client

KEY, TOKEN, COOKIE = "key-4b1d", "token-91ce", "cookie-77aa"


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Set-Cookie", f"session={COOKIE}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/x?api_key={KEY}"
        server.shutdown()
        thread.join()


@pytest.fixture
def talkative() -> Iterator[None]:
    before = {name: logging.getLogger(name).level for name in ("httpx2", "httpcore2")}
    for name in before:
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.usefixtures("talkative")
def test_neither_addresses_nor_headers_are_logged(address: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("beside").debug("the log listens")
    with open_client(NetRules(allow_private=True)) as client:
        assert client.get(address, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert "the log listens" in caplog.text
    for secret in (KEY, TOKEN, COOKIE):
        assert secret not in caplog.text

"""HTTP/2 is spoken with servers that offer it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from knowgate.net import NetRules
from knowgate.net.client import open_client

h2 = pytest.importorskip("h2")
CERTIFICATE = Path(__file__).parent / "shop.test.pem"


def answer(connection: ssl.SSLSocket) -> None:
    """One request, echoed as its method and path."""
    from h2.config import H2Configuration
    from h2.connection import H2Connection
    from h2.events import RequestReceived

    state = H2Connection(H2Configuration(client_side=False))
    state.initiate_connection()
    connection.sendall(state.data_to_send())
    while data := connection.recv(65536):
        for event in state.receive_data(data):
            if isinstance(event, RequestReceived):
                headers = dict(event.headers)
                state.send_headers(event.stream_id, [(":status", "200"), ("content-type", "text/plain")])
                state.send_data(event.stream_id, headers[b":method"] + b" " + headers[b":path"], end_stream=True)
        connection.sendall(state.data_to_send())


@pytest.fixture
def port() -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    context.set_alpn_protocols(["h2"])
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            plain, _ = listener.accept()
            with context.wrap_socket(plain, server_side=True) as connection:
                answer(connection)

        thread = Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def test_it_is_spoken_over_tls(port: int) -> None:
    tls = ssl.create_default_context(cafile=str(CERTIFICATE))
    with open_client(NetRules(allow_private=True), resolve=lambda name: ["127.0.0.1"], tls=tls) as client:
        response = client.get(f"https://shop.test:{port}/a?b=1")
    assert response.text == "GET /a?b=1"

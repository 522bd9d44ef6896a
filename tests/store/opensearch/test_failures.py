"""A cluster that is gone, slow, full or closed to us is told as such."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson
import pytest

from knowgate.errors import DocumentError, InputError, StorageError
from knowgate.store.opensearch.connection import Address, Cluster, Write
from knowgate.store.opensearch.failures import may_pass
from knowgate.store.opensearch.view import View

pytest.importorskip("opensearchpy")


class Cut(bytes):
    """JSON, as far as it goes."""


class Cross(BaseHTTPRequestHandler):
    """Answers what the test has laid out, in turn; the last one again and again."""

    answers: list[tuple[int, object]]
    asked: list[str]

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.asked.append(self.path)
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        data = body if isinstance(body, bytes) else orjson.dumps(body)
        self.send_response(status)
        self.send_header("content-type", "text/html" if type(body) is bytes else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def cross() -> Iterator[tuple[type[Cross], Cluster]]:
    handler = type("Handler", (Cross,), {"answers": [], "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        cluster = Cluster(Address((f"http://127.0.0.1:{server.server_port}",), timeout_seconds=60))
        yield handler, cluster
        cluster.close()
        server.shutdown()
        thread.join()


def block(status: int, reason: str, type: str = "cluster_block_exception") -> tuple[int, object]:
    return status, {"error": {"type": type, "reason": reason}, "status": status}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (block(401, "no"), "store_login"),
        (block(403, "no permissions for [indices:data/read]", "security_exception"), "store_forbidden"),
        (
            block(403, "blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];"),
            "store_read_only",
        ),
        (
            block(429, "blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark];"),
            "store_read_only",
        ),
        (block(400, "no such field", "parsing_exception"), "store_failed"),
        (block(404, "no such index [x]", "index_not_found_exception"), "store_missing"),
        (block(403, "index [x] blocked by: [FORBIDDEN/8/index write (api)];"), "store_read_only"),
    ],
)
def test_what_will_not_pass_is_told_at_once(
    cross: tuple[type[Cross], Cluster], answer: tuple[int, object], code: str
) -> None:
    handler, cluster = cross
    handler.answers[:] = [answer]
    with pytest.raises(StorageError) as caught:
        cluster.ask("GET", "/x")
    assert caught.value.code == code
    assert caught.value.fix
    assert len(handler.asked) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_what_may_pass_is_tried_again(cross: tuple[type[Cross], Cluster], status: int) -> None:
    handler, cluster = cross
    handler.answers[:] = [block(status, "all shards failed", "search_phase_execution_exception"), (200, {"done": True})]
    assert cluster.ask("GET", "/x") == {"done": True}
    handler.answers[:] = [block(503, "no_shard_available")]
    with pytest.raises(StorageError) as caught:
        cluster.ask("GET", "/x")
    assert caught.value.code == "store_red"


def test_only_the_rows_that_failed_are_written_again(cross: tuple[type[Cross], Cluster]) -> None:
    handler, cluster = cross

    def item(status: int) -> object:
        told = {"error": {"type": "t", "reason": "r"}} if status >= 400 else {}
        return {"index": {"status": status, **told}}

    handler.answers[:] = [(200, {"items": [item(201), item(429), item(409)]}), (200, {"items": [item(201)]})]
    assert cluster.bulk([Write("i", "index", str(n), {}) for n in range(3)]) == [True, True, False]
    assert len(handler.asked) == 2


def test_a_client_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opensearchpy", None)
    with pytest.raises(InputError) as caught:
        Cluster(Address(("http://127.0.0.1:1",)))
    assert caught.value.message == "The client for OpenSearch is not installed."
    assert "knowgate[opensearch]" in caught.value.fix


def test_a_view_without_one_of_the_shards_is_none(cross: tuple[type[Cross], Cluster]) -> None:
    """A cluster would open one all the same, and searches in it would not know what they miss."""
    handler, cluster = cross
    handler.answers[:] = [(200, {"pit_id": "p"})]
    View(cluster, "x")
    assert "allow_partial_pit_creation=false" in handler.asked[0]


def test_an_answer_that_was_cut_is_asked_for_again(cross: tuple[type[Cross], Cluster]) -> None:
    handler, cluster = cross
    handler.answers[:] = [(200, Cut(b'{"acknowledged": tr')), (200, {"acknowledged": True})]
    assert cluster.ask("GET", "/x") == {"acknowledged": True}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (413, "too large"),
        (429, "rejected execution of coordinating operation [coordinating_and_primary_bytes=0, replica_bytes=0, "
              "all_bytes=0, coordinating_operation_bytes=83886080, max_coordinating_and_primary_bytes=51897958]"),
    ],
)  # fmt: skip
def test_what_never_fits_is_told_at_once(cross: tuple[type[Cross], Cluster], status: int, reason: str) -> None:
    handler, cluster = cross
    handler.answers[:] = [block(status, reason, "opensearch_rejected_execution_exception")]
    with pytest.raises(DocumentError) as refused:
        cluster.bulk([Write("x", "index", "1", {})])
    assert (refused.value.code, len(handler.asked)) == ("store_refused", 1)


def test_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # held, so that nobody else comes to listen there
        cluster = Cluster(Address((f"http://127.0.0.1:{free.getsockname()[1]}",)))
        with pytest.raises(StorageError) as caught:
            cluster.ask("GET", "/")
        assert caught.value.code == "store_unreachable"
        cluster.close()


@pytest.mark.parametrize("status", [200, 404])
def test_somebody_else_who_answers(cross: tuple[type[Cross], Cluster], status: int) -> None:
    handler, cluster = cross
    handler.answers[:] = [(status, b"<html>It works!</html>")]
    with pytest.raises(StorageError) as caught:
        cluster.ask_once("GET", "/")
    assert caught.value.code == "store_unreachable"
    assert caught.value.message == "What answers there is not OpenSearch."
    assert "store.url" in caught.value.fix


def test_a_server_without_tls_is_told_as_such(cross: tuple[type[Cross], Cluster]) -> None:
    (plain,) = cross[1].address.urls
    cluster = Cluster(Address((plain.replace("http:", "https:"),)))
    with pytest.raises(StorageError) as caught:
        cluster.ask_once("GET", "/")
    assert caught.value.code == "store_tls"
    assert "http://" in caught.value.fix
    assert "store.ca_file" not in caught.value.fix
    cluster.close()


def test_somebody_who_does_not_answer() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        cluster = Cluster(Address((f"http://127.0.0.1:{silent.getsockname()[1]}",), timeout_seconds=0.1))
        with pytest.raises(StorageError) as caught:
            cluster.ask_once("GET", "/")
        assert caught.value.code == "store_slow"
        assert may_pass(caught.value)
        cluster.close()

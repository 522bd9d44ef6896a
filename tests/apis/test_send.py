"""A request goes out once, or again where that is safe; an answer comes in within its bounds or not at all."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.apis.service import KEY, TOKEN, service

from knowgate.apis.credentials.grant import Grant, join
from knowgate.apis.credentials.secret import Secret
from knowgate.apis.operation import Operation, Parameter
from knowgate.apis.request import Request
from knowgate.apis.send import Received, send
from knowgate.errors import ForbiddenError, InputError, KnowgateError, LimitError, NetworkError
from knowgate.net import NetRules

RULES = NetRules(allow_private=True, max_bytes=2_000_000, timeout_seconds=60)
SHORT = NetRules(allow_private=True, max_bytes=2_000_000, timeout_seconds=0.3)


@pytest.fixture(scope="module")
def running() -> Iterator[str]:
    with service() as url:
        yield url


@pytest.fixture
def url(running: str) -> str:
    httpx2.delete(f"{running}/seen", timeout=60)
    return running


def call(url: str, method: str = "GET", *, rules: NetRules = RULES, **more) -> Received:
    return send(Request(method, url, operation="op"), rules, **more)


def seen(url: str) -> list[dict]:
    return httpx2.get(f"{url}/seen", timeout=60).json()


def code(url: str, method: str = "GET", **more) -> str:
    with pytest.raises(KnowgateError) as caught:
        call(url, method, **more)
    assert caught.value.fix
    return caught.value.code


def grant(url: str, **what) -> Grant:
    return Grant(url, **what)


def test_the_request_arrives_as_it_was_built(url: str) -> None:
    request = Request(
        "POST",
        f"{url}/bodies/octets?a=%2F&b=%20c+d",
        headers=(("X-One", "1"), ("Accept", "text/x")),
        body=b"\0\1",
        content_type="application/octet-stream",
        operation="sendBytes",
    )
    received = send(request, RULES)
    assert (received.status, received.operation, received.tries) == (200, "sendBytes", 1)
    assert b'"base64":"AAE="' in received.body
    [entry] = seen(url)
    headers = dict(entry["headers"])
    assert entry["query"] == "a=%2F&b=%20c+d"
    assert (headers["x-one"], headers["accept"]) == ("1", "text/x")
    assert headers["content-type"] == "application/octet-stream"
    assert headers["user-agent"].startswith("knowgate/")


@pytest.mark.parametrize("path", ["/a/../b", "/a b", "/ä"])
def test_what_would_be_sent_elsewhere_than_was_checked_is_not_sent(url: str, path: str) -> None:
    with pytest.raises(InputError):
        call(url + path)
    assert seen(url) == []


@pytest.mark.parametrize("status", [200, 204, 304, 400, 401, 404, 418, 500])
def test_every_status_is_an_answer(url: str, status: int) -> None:
    assert call(f"{url}/answers/status/{status}").status == status


def test_this_machine_is_not_called_unless_allowed(url: str) -> None:
    assert code(url, rules=NetRules()) == "private_address"


def test_credentials_of_every_place(url: str) -> None:
    parts = [
        grant(url, query=(("api_key", Secret(KEY)),)),
        grant(url, cookies=(("api_session", Secret(KEY)),)),
    ]
    whole = join(grant(url, headers=(("Authorization", Secret(f"Bearer {TOKEN}")),)), parts)
    request = Request(
        "GET",
        f"{url}/auth/query?api_key=mine&q=1",
        headers=(("authorization", "mine"), ("Cookie", "theme=dark")),
        operation="keyInQuery",
    )
    received = send(request, RULES, grant=whole)
    assert received.status == 200
    assert received.url == f"{url}/auth/query?q=1"
    [entry] = seen(url)
    sent = [pair for pair in entry["headers"] if pair[0] in {"authorization", "cookie"}]
    assert sent == [["cookie", f"theme=dark; api_session={KEY}"], ["authorization", f"Bearer {TOKEN}"]]
    assert entry["query"] == f"q=1&api_key={KEY}"
    assert KEY not in repr(whole) + repr(received)


def test_a_grant_for_another_origin_is_refused(url: str) -> None:
    other = grant(url.replace("127.0.0.1", "localhost"), headers=(("X-API-Key", Secret(KEY)),))
    with pytest.raises(ForbiddenError) as caught:
        call(f"{url}/auth/header", grant=other)
    assert caught.value.code == "profile_not_allowed"
    assert seen(url) == []


CANARIES = [
    {"headers": (("X-API-Key", Secret(KEY)),)},
    {"query": (("api_key", Secret(KEY)),)},
    {"cookies": (("api_session", Secret(KEY)),)},
]


@pytest.mark.parametrize("what", CANARIES, ids=["header", "query", "cookie"])
def test_redirects_within_the_origin_are_followed_with_the_credential(url: str, what: dict) -> None:
    received = call(f"{url}/redirects/chain?left=3", grant=grant(url, **what))
    assert received.status == 200
    assert received.url == f"{url}/redirects/end"
    assert all(KEY in str(entry) for entry in seen(url))
    assert len(seen(url)) == 4


@pytest.mark.parametrize("what", CANARIES, ids=["header", "query", "cookie"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_origin_is_the_answer(url: str, what: dict, status: int) -> None:
    received = call(f"{url}/redirects/away?status={status}", grant=grant(url, **what))
    assert received.status == status
    assert received.header("location").startswith("http://localhost:")
    assert [entry["path"] for entry in seen(url)] == ["/redirects/away"]


def test_redirects_end(url: str) -> None:
    assert call(f"{url}/redirects/chain?left=9").status == 302
    assert len(seen(url)) == 4


def test_what_may_not_be_followed_is_the_answer(url: str) -> None:
    asked: list[str] = []
    received = call(f"{url}/redirects/chain", may_follow=lambda target: bool(asked.append(target)))
    assert (received.status, asked) == (302, [f"{url}/redirects/end"])


@pytest.mark.parametrize("to", ["", "http://", "ftp://x/", "http://[", "//evil.test/", "http://u:p@127.0.0.1/"])
def test_redirects_to_nowhere(url: str, to: str) -> None:
    try:
        assert call(httpx2.URL(f"{url}/redirects/nowhere", params={"to": to}).__str__()).status == 302
    except NetworkError as error:
        assert error.code == "bad_response"


def test_a_post_is_not_redirected(url: str) -> None:
    assert call(f"{url}/redirects/post", "POST").status == 303
    assert len(seen(url)) == 1


def test_a_lost_answer_is_asked_for_again_when_that_is_safe(url: str) -> None:
    received = call(f"{url}/trouble/lost?times=2")
    assert (received.status, received.tries) == (200, 3)
    httpx2.delete(f"{url}/seen", timeout=60)
    assert code(f"{url}/trouble/lost") == "bad_response"
    assert len(seen(url)) == 3


@pytest.mark.parametrize("path", ["/trouble/lost", "/trouble/cut"])
def test_a_lost_answer_to_a_post_is_an_unknown_outcome_and_sent_once(url: str, path: str) -> None:
    assert code(url + path, "POST") == "outcome_unknown"
    assert len(seen(url)) == 1


def test_a_declared_idempotency_key_makes_a_post_safe_to_repeat(url: str) -> None:
    key = Parameter("Idempotency-Key", "header", False, {"type": "string"}, "simple", False)
    operation = Operation("lostWithKey", "api", "POST", "/trouble/lost-with-key", parameters=(key,))
    received = call(f"{url}/trouble/lost-with-key?times=2", "POST", operation=operation)
    assert (received.status, received.tries) == (200, 3)
    keys = {dict(entry["headers"])["idempotency-key"] for entry in seen(url)}
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert code(f"{url}/trouble/lost-with-key", "POST", operation=operation) == "outcome_unknown"


def test_a_key_of_the_caller_is_kept(url: str) -> None:
    request = Request("POST", f"{url}/trouble/lost-with-key?times=0", (("idempotency-key", "mine"),), operation="op")
    assert b'"key":"mine"' in send(request, RULES).body


def test_nobody_there_is_unreachable_whatever_was_to_be_sent() -> None:
    with socket.socket() as silent:  # nobody else gets the port, and nobody listens
        silent.bind(("127.0.0.1", 0))
        assert code(f"http://127.0.0.1:{silent.getsockname()[1]}/", "POST") == "unreachable"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(url: str, status: int) -> None:
    received = call(f"{url}/trouble/busy?status={status}&after=0")
    assert (received.status, received.tries) == (200, 2)


def test_it_is_not_asked_again_when_it_wants_more_time_than_there_is(url: str) -> None:
    for after in ("86400", "Fri, 01 Jan 2100 00:00:00 GMT"):
        received = call(httpx2.URL(f"{url}/trouble/busy", params={"after": after, "times": 9}).__str__())
        assert (received.status, received.tries) == (429, 1)
        assert received.header("retry-after") == after


def test_a_post_to_a_busy_server_is_not_repeated(url: str) -> None:
    assert call(f"{url}/trouble/busy", "POST").status == 429
    assert len(seen(url)) == 1


@pytest.mark.parametrize("path", ["/trouble/slow", "/trouble/drip"])
def test_a_server_without_end_ends_at_the_deadline(url: str, path: str) -> None:
    assert code(url + path, rules=SHORT) == "timeout"


def test_an_endless_answer_ends_at_the_cap(url: str) -> None:
    assert code(f"{url}/trouble/endless") == "too_large"


@pytest.mark.parametrize(
    "path", ["/trouble/huge?size=2000001", "/trouble/bomb?size=20000000", "/trouble/bomb?size=2000000"]
)
def test_what_is_too_large_packed_or_unpacked(url: str, path: str) -> None:
    with pytest.raises(LimitError) as caught:
        call(url + path)
    assert caught.value.code == "too_large"
    assert "200" in caught.value.message


def test_what_just_fits(url: str) -> None:
    assert len(call(f"{url}/trouble/huge?size=2000000").body) == 2_000_000


def test_a_bomb_ends_long_before_it_is_unpacked(url: str) -> None:
    import tracemalloc

    rules = NetRules(allow_private=True, max_bytes=8_000_000)
    tracemalloc.start()
    try:
        assert code(f"{url}/trouble/bomb?size=50000000", rules=rules) == "too_large"
    finally:
        # The service runs in this process, too, and holds the packed bomb and the piece it is made of.
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2 * rules.max_bytes


def test_encodings_stacked_on_each_other_are_refused(url: str) -> None:
    assert code(f"{url}/trouble/stacked") == "bad_response"


def test_a_cut_answer_is_no_answer(url: str) -> None:
    assert code(f"{url}/trouble/cut") == "bad_response"


def test_no_failure_tells_the_credential(url: str) -> None:
    secret = grant(url, headers=(("Authorization", Secret(f"Bearer {TOKEN}")),), query=(("api_key", Secret(KEY)),))
    paths = ["slow", "drip", "endless", "huge?size=9999999", "bomb?size=9000000", "stacked", "cut", "lost"]
    for path in paths:
        with pytest.raises(KnowgateError) as caught:
            call(f"{url}/trouble/{path}", rules=SHORT, grant=secret)
        told = "".join(_everything(caught.value))
        assert TOKEN not in told
        assert KEY not in told


def _everything(error: BaseException | None) -> Iterator[str]:
    while error:
        yield f"{error!r} {error} {vars(error)}"
        error = error.__cause__ or error.__context__


CERTIFICATE = Path(__file__).parents[1] / "net" / "shop.test.pem"


def test_without_a_client_certificate_there_is_no_connection() -> None:
    import ssl

    with service(CERTIFICATE) as url:
        url = url.replace("127.0.0.1", "shop.test")
        trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
        assert code(f"{url}/redirects/end", grant=Grant(url, tls=trusting), resolve=lambda name: ["127.0.0.1"]) in {
            "unreachable",
            "bad_response",
            "tls_error",
        }
        trusting.load_cert_chain(CERTIFICATE)
        received = call(f"{url}/redirects/end", grant=Grant(url, tls=trusting), resolve=lambda name: ["127.0.0.1"])
        assert received.status == 200

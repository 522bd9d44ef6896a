"""Every connection is checked, and made to the address that was checked, under the name that was asked for."""

import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv6Address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import ForbiddenError, InputError, KnowgateError, NetworkError
from knowgate.net import NetRules
from knowgate.net.client import open_client, plain, read_url

CERTIFICATE = Path(__file__).parent / "shop.test.pem"


class Echo(BaseHTTPRequestHandler):
    """Answers with the Host header it was given."""

    def do_GET(self) -> None:
        body = self.headers["Host"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    yield from serve(ThreadingHTTPServer(("127.0.0.1", 0), Echo))


@pytest.fixture
def tls_names() -> list[str | None]:
    """The names clients asked for in their TLS handshakes."""
    return []


@pytest.fixture
def tls_port(tls_names: list[str | None]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    # A client that refuses the certificate is what some tests want to see; it is no news on the server's side.
    server.handle_error = lambda request, client_address: None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    context.sni_callback = lambda socket, name, context: tls_names.append(name)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    yield from serve(server)


def serve(server: ThreadingHTTPServer) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def answers(*rounds: list[str]) -> Callable[[str], list[str]]:
    """A resolver that gives the next answer each time it is asked, and the last one ever after."""
    left = list(rounds)
    return lambda name: left.pop(0) if len(left) > 1 else left[0]


def code_of(url: str, rules: NetRules, resolve: Callable[[str], list[str]]) -> str:
    with open_client(rules, resolve=resolve) as client, pytest.raises(KnowgateError) as caught:
        client.get(url)
    assert caught.value.fix
    return caught.value.code


def test_a_name_is_resolved_once_checked_and_connected_to(port: int) -> None:
    rules = NetRules(allow_hosts=("shop.test",))
    # A second look-up would get an address where nothing listens.
    with open_client(rules, resolve=answers(["127.0.0.1"], ["192.0.2.1"])) as client:
        assert client.get(f"http://shop.test:{port}/").text == f"shop.test:{port}"


def test_a_name_that_rebinds_to_this_machine_is_refused_the_moment_it_does(port: int) -> None:
    asked = answers(["127.0.0.1"], ["127.0.0.1"])
    assert code_of(f"http://evil.test:{port}/", NetRules(), asked) == "private_address"


def test_a_name_that_was_harmless_once_is_checked_again_for_the_next_connection(port: int) -> None:
    with open_client(NetRules(allow_private=True), resolve=answers(["127.0.0.1"], ["169.254.169.254"])) as client:
        assert client.get(f"http://evil.test:{port}/").is_success
        with pytest.raises(ForbiddenError):
            client.get(f"http://evil.test:{port}/")


def test_the_next_address_is_tried_when_one_refuses(port: int) -> None:
    rules = NetRules(allow_private=True)
    with open_client(rules, resolve=answers(["::1", "127.0.0.1"])) as client:
        assert client.get(f"http://shop.test:{port}/").is_success


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "127.0.0.1."])
@pytest.mark.parametrize("allowed", [False, True])
def test_no_spelling_of_loopback_gets_through_unless_allowed(port: int, host: str, allowed: bool) -> None:
    def no_resolver(name: str) -> list[str]:
        raise AssertionError("an address needs no resolver")

    with open_client(NetRules(allow_private=allowed), resolve=no_resolver) as client:
        if allowed:
            assert client.get(read_url(f"http://{host}:{port}/")).text == f"127.0.0.1:{port}"
        else:
            with pytest.raises(ForbiddenError):
                client.get(f"http://{host}:{port}/")


def test_proxy_variables_change_nothing(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
    assert code_of("http://127.0.0.2/", NetRules(), answers([])) == "private_address"
    assert code_of("http://shop.test/", NetRules(), answers(["10.0.0.1"])) == "private_address"


def test_an_unknown_name_and_a_name_without_addresses_are_unreachable() -> None:
    def unknown(name: str) -> list[str]:
        raise OSError("Name or service not known")

    assert code_of("http://nowhere.test/", NetRules(), unknown) == "unreachable"
    assert code_of("http://nowhere.test/", NetRules(), answers([])) == "unreachable"


def test_a_resolver_that_hangs_is_left_behind() -> None:
    release = threading.Event()

    def slow(name: str) -> list[str]:
        release.wait()
        return []

    assert code_of("http://slow.test/", NetRules(timeout_seconds=0.1), slow) == "timeout"
    release.set()


def test_tls_asks_for_and_verifies_the_name_not_the_address(tls_port: int, tls_names: list[str | None]) -> None:
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
    rules = NetRules(allow_private=True)
    with open_client(rules, resolve=answers(["127.0.0.1"]), tls=trusting) as client:
        assert client.get(f"https://shop.test:{tls_port}/").text == f"shop.test:{tls_port}"
    assert tls_names == ["shop.test"]
    with (
        open_client(rules, resolve=answers(["127.0.0.1"]), tls=trusting) as client,
        pytest.raises(NetworkError) as caught,
    ):
        client.get(f"https://other.test:{tls_port}/")
    assert caught.value.code == "tls_error"
    assert "other.test" in caught.value.message


def test_a_certificate_nobody_vouches_for_is_refused(tls_port: int) -> None:
    rules = NetRules(allow_private=True)
    assert code_of(f"https://shop.test:{tls_port}/", rules, answers(["127.0.0.1"])) == "tls_error"


def test_https_to_a_port_that_speaks_plain_http(port: int) -> None:
    rules = NetRules(allow_private=True)
    assert code_of(f"https://127.0.0.1:{port}/", rules, answers([])) == "tls_error"


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.com", "//example.com/a", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)"),
        *("http://", "http:///path", "http://user@example.com/", "http://user:secret@example.com/"),
        *("http://example.com:0/", "http://example.com:65536/", "http://example.com:port/", "http://exa mple.com/"),
        *("http://[::1/", "http://[::g]/", "http://[fe80::1%25eth0]/", "http://%31%32%37.0.0.1/", "http://a..b/"),
        *("http://exam\nple.com/", "http://1.2.3.256/", "http://0177.0.0.1/", "http://example.com\\@evil.test/"),
        *("C:\\docs\\guide.pdf", "http://" + "a" * 70_000),
    ],
)
def test_an_odd_url_is_an_input_error(url: str) -> None:
    with pytest.raises(InputError) as caught:
        read_url(url)
    assert caught.value.code == "bad_url"
    assert caught.value.fix
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.COM.:80/a/../b?q=1#part", "http://example.com/b?q=1"),
        ("https://example.com:8443", "https://example.com:8443"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http://[::FFFF:127.0.0.1]:81/", f"http://[{IPv6Address('::ffff:127.0.0.1')}]:81/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ],
)
def test_a_url_in_its_plain_form(url: str, expected: str) -> None:
    assert str(read_url(url)) == expected


def test_messages_leave_out_the_query() -> None:
    assert plain(read_url("https://example.com/a?key=secret")) == "https://example.com/a"


@given(st.text(max_size=40).map("http://".__add__) | st.text(max_size=40))
def test_reading_a_url_gives_a_url_or_an_input_error(text: str) -> None:
    try:
        url = read_url(text)
    except InputError:
        return
    assert read_url(str(url)) == url

"""A document is fetched whole, from where it may be fetched, within the caps; or a typed error says what to do."""

import contextlib
import gzip
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import ForbiddenError, InputError, KnowgateError, LimitError, NetworkError
from knowgate.knowledge.fetch import clean_name, describe, fetch
from knowgate.net import NetRules

CERTIFICATE = Path(__file__).parents[1] / "net" / "shop.test.pem"
MEGABYTE = 1024 * 1024

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A server on loopback: what it answers at each path is up to the test."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.requests: list[BaseHTTPRequestHandler] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append(self)
                # The client is free to hang up in the middle of what it does not want.
                with contextlib.suppress(OSError):
                    site.pages[self.path](self)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def rules(self, *, max_bytes: int = MEGABYTE, timeout_seconds: float = 20.0) -> NetRules:
        return NetRules(allow_hosts=(f"127.0.0.1:{self.port}",), max_bytes=max_bytes, timeout_seconds=timeout_seconds)

    def run(self) -> Iterator["Site"]:
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield self
        self.server.shutdown()
        thread.join()
        self.server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    yield from Site().run()


def page(body: bytes, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content_length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def redirect(location: str, status: int = 302) -> Answer:
    return page(b"", status, location=location)


def raw(*parts: bytes, every: float = 0.0) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        for part in parts:
            handler.wfile.write(part)
            time.sleep(every)

    return answer


def failure(site: Site, path: str, rules: NetRules | None = None) -> KnowgateError:
    with pytest.raises(KnowgateError) as caught:
        fetch(site.url + path, rules or site.rules())
    assert caught.value.fix
    return caught.value


def test_a_document_comes_with_what_its_server_says_about_it(site: Site) -> None:
    site.pages["/docs/guide.html?v=2"] = page(
        "Grüße".encode("latin-1"),
        last_modified="Tue, 03 Mar 2026 09:00:00 GMT",
    )
    found = fetch(f"{site.url}/docs/guide.html?v=2#top", site.rules())
    assert found.data.decode("latin-1") == "Grüße"
    assert (found.name, found.modified_at) == ("guide.html", 1772528400)
    assert site.requests[0].headers["User-Agent"].startswith("knowgate/")


def test_a_server_that_says_nothing(site: Site) -> None:
    site.pages["/"] = page(b"hello")
    found = fetch(site.url, site.rules())
    assert (found.name, found.modified_at) == ("127.0.0.1", None)


@pytest.mark.parametrize("encode", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
def test_a_compressed_body_is_decoded(site: Site, encode: Callable[[bytes], bytes]) -> None:
    name = "gzip" if encode is gzip.compress else "deflate"
    site.pages["/a"] = page(encode(b"pine " * 1000), content_encoding=name)
    assert fetch(f"{site.url}/a", site.rules()).data == b"pine " * 1000


def test_redirects_are_followed_to_the_end(site: Site) -> None:
    for hop, status in enumerate([301, 302, 303, 307, 308]):
        site.pages[f"/{hop}"] = redirect(f"{hop + 1}", status)
    site.pages["/5"] = page(b"here", content_disposition='attachment; filename="last.txt"')
    found = fetch(f"{site.url}/0", site.rules())
    assert (found.data, found.name) == (b"here", "last.txt")


def test_a_redirect_loop_ends(site: Site) -> None:
    site.pages["/a"] = redirect("/b")
    site.pages["/b"] = redirect("/a")
    assert failure(site, "/a").code == "too_many_redirects"
    assert len(site.requests) == 6


@pytest.mark.parametrize(
    "target",
    [
        *("http://127.0.0.2/", "http://127.0.0.1:1/", "http://2130706434/", "http://0x7f.2/", "//127.0.0.2/"),
        *("http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://localhost./"),
        *("http://10.0.0.1/", "http://192.168.0.1/", "http://169.254.169.254/latest/meta-data/", "http://0/"),
    ],
)
def test_a_redirect_to_a_private_address_is_refused(site: Site, target: str) -> None:
    site.pages["/a"] = redirect(target)
    error = failure(site, "/a")
    assert (type(error), error.code) == (ForbiddenError, "private_address")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.com/", "http://u:p@example.com/"])
def test_a_redirect_away_from_plain_http_is_refused(site: Site, target: str) -> None:
    site.pages["/a"] = redirect(target)
    error = failure(site, "/a")
    assert (type(error), error.code) == (InputError, "bad_url")


def test_a_redirect_that_is_no_url(site: Site) -> None:
    site.pages["/a"] = redirect("http://exam ple.com:port/")
    assert failure(site, "/a").code == "bad_response"


def test_a_redirect_that_leads_nowhere(site: Site) -> None:
    site.pages["/a"] = page(b"", 302)
    assert failure(site, "/a").code == "http_status"


def test_a_redirect_from_https_to_http_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    site.server.socket = context.wrap_socket(site.server.socket, server_side=True)
    site.pages["/a"] = redirect(f"http://shop.test:{site.port}/b")
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with pytest.raises(ForbiddenError) as caught:
        fetch(f"https://shop.test:{site.port}/a", NetRules(allow_private=True), resolve=lambda name: ["127.0.0.1"])
    assert caught.value.code == "insecure_redirect"


def test_a_name_that_leads_to_this_machine_is_never_asked(site: Site) -> None:
    with pytest.raises(ForbiddenError):
        fetch(f"http://evil.test:{site.port}/", NetRules(), resolve=lambda name: ["127.0.0.1"])
    assert site.requests == []


@pytest.mark.parametrize("status", [401, 403, 404, 410, 418, 429, 500, 503])
def test_a_bad_status_is_named_and_the_query_is_not(site: Site, status: int) -> None:
    site.pages["/a?key=secret"] = page(b"no", status)
    error = failure(site, "/a?key=secret")
    assert (type(error), error.code) == (NetworkError, "http_status")
    assert str(status) in error.message
    assert "secret" not in str(error)


def test_the_cap_is_exact(site: Site) -> None:
    site.pages["/fits"] = page(b"x" * 1000)
    site.pages["/over"] = page(b"x" * 1001)
    assert len(fetch(f"{site.url}/fits", site.rules(max_bytes=1000)).data) == 1000
    error = failure(site, "/over", site.rules(max_bytes=1000))
    assert (type(error), error.code) == (LimitError, "too_large")


def test_a_body_without_a_length_is_cut_off_at_the_cap(site: Site) -> None:
    site.pages["/a"] = raw(b"HTTP/1.1 200 OK\r\n\r\n", *[b"x" * 65536] * 64)
    assert failure(site, "/a").code == "too_large"


def test_a_compression_bomb_is_cut_off_at_the_cap(site: Site) -> None:
    bomb = gzip.compress(bytes(64 * MEGABYTE))
    assert len(bomb) < MEGABYTE
    site.pages["/a"] = page(bomb, content_encoding="gzip")
    assert failure(site, "/a").code == "too_large"


def test_a_compressed_body_that_decodes_to_nothing_is_cut_off_on_the_wire(site: Site) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"tiny")
    site.pages["/a"] = raw(head, *[bytes(65536)] * 64)
    assert failure(site, "/a").code == "too_large"


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "compress"])
def test_an_encoding_that_was_not_asked_for_is_refused(site: Site, encoding: str) -> None:
    site.pages["/a"] = page(gzip.compress(gzip.compress(b"pine")), content_encoding=encoding)
    assert failure(site, "/a").code == "bad_response"


@pytest.mark.parametrize(
    "answer",
    [
        page(b"not gzip at all", content_encoding="gzip"),
        page(b"short", content_length="500"),
        page(b"short", content_length="-1"),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nshort"),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort"),
        raw(b"SSH-2.0-OpenSSH_9.6\r\n"),
        raw(b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 200_000 + b"\r\n\r\n"),
        raw(),
    ],
    ids=["gzip", "short", "negative", "chunk", "cut", "ssh", "headers", "silence"],
)
def test_an_answer_that_is_not_proper_http(site: Site, answer: Answer) -> None:
    site.pages["/a"] = answer
    error = failure(site, "/a")
    assert (type(error), error.code) == (NetworkError, "bad_response")


def test_bytes_beyond_the_declared_length_are_not_part_of_the_document(site: Site) -> None:
    site.pages["/a"] = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npine and more")
    assert fetch(f"{site.url}/a", site.rules()).data == b"pine"


@pytest.mark.parametrize(
    "answer",
    [
        raw(b"HTTP/1.1 200 OK\r\n\r\n", *[b"x"] * 200, every=0.05),
        raw(b"HTTP/1.1 200 OK\r\n", *[b"X-Drip: x\r\n"] * 200, every=0.05),
        raw(*[b"HTTP/1.1 103 Early Hints\r\n\r\n"] * 200, every=0.05),
        raw(b"", every=10),
    ],
    ids=["body", "headers", "hints", "silence"],
)
def test_a_server_that_drips_is_left_at_the_deadline(site: Site, answer: Answer) -> None:
    site.pages["/a"] = answer
    error = failure(site, "/a", site.rules(timeout_seconds=0.5))
    assert (type(error), error.code) == (NetworkError, "timeout")


def test_the_deadline_covers_all_redirects_together(site: Site) -> None:
    def slow(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(0.3)
        redirect("/a")(handler)

    site.pages["/a"] = slow
    assert failure(site, "/a", site.rules(timeout_seconds=0.5)).code == "timeout"


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # held, so that nobody else comes to listen there
        address = f"127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(KnowgateError) as caught:
            fetch(f"http://{address}/a", NetRules(allow_hosts=(address,)))
    assert caught.value.code == "unreachable"
    assert caught.value.fix


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="price list.csv"', "price list.csv"),
        ("inline; filename=a.pdf", "a.pdf"),
        ("attachment; filename*=UTF-8''R%C3%BCckgabe.pdf", "Rückgabe.pdf"),
        ("attachment; filename*=utf-8''%e2%82%ac.txt; filename=euro.txt", "€.txt"),
        ("attachment; filename=euro.txt; filename*=utf-8''%e2%82%ac.txt", "€.txt"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ('attachment; filename="C:\\\\temp\\\\evil.exe"', "evil.exe"),
        ('attachment; filename="a\u202egpj.exe"', "agpj.exe"),
        ('attachment; filename=".."', ""),
        ("attachment", ""),
        ("attachment; filename*=nonsense''%ff", "ÿ"),
        ("attachment; filename*=idna''xn--%80", ""),
        ("attachment; filename*=unicode_escape''%5cud800.txt", "txt"),
    ],
)
def test_names_from_the_server_are_cleaned(disposition: str, name: str) -> None:
    assert describe({"content-disposition": disposition}) == (name, None)


@pytest.mark.parametrize(
    ("path", "name"),
    [("/docs/", "docs"), ("/a%20b.md", "a b.md"), ("/a%2Fb.md", "b.md"), ("/%00", "127.0.0.1"), ("//x//", "x")],
)
def test_names_from_the_address(site: Site, path: str, name: str) -> None:
    site.pages[path] = page(b"x")
    # The standard library's server shortens a leading double slash.
    site.pages["/x//"] = page(b"x")
    assert fetch(site.url + path, site.rules()).name == name


@given(st.text(max_size=400))
def test_a_clean_name_is_short_plain_and_stays_clean(text: str) -> None:
    name = clean_name(text)
    assert len(name) <= 150
    assert not set(name) & set('/\\<>:"|?*\0\n')
    assert name not in {".", ".."}
    assert clean_name(name) == name


def test_a_long_name_keeps_its_suffix() -> None:
    assert clean_name("x" * 500 + ".pdf").endswith("x.pdf")


# What can arrive in a header: no control characters that end it, and nothing that is not text.
header = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=60)
codecs = st.sampled_from(["utf-8", "idna", "punycode", "undefined", "hex", "unicode_escape", "utf-16", "utf-7"])


@given(
    header
    | header.map("attachment; filename=".__add__)
    | st.builds("attachment; filename*={}''{}".format, codecs, header),
    header | st.datetimes().map(lambda when: when.strftime("%a, %d %b %Y %H:%M:%S GMT")),
)
def test_no_header_upsets_the_description(disposition: str, date: str) -> None:
    name, _ = describe({"content-disposition": disposition, "last-modified": date})
    assert name == clean_name(name)

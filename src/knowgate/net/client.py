"""An HTTP client that connects only where the rules allow.

The check sits where connections are made, so a redirect, a rebinding name or a proxy variable cannot go around it.
"""

from __future__ import annotations

import ssl
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import httpcore2
import httpx2

from knowgate.errors import InputError, LimitError, NetworkError
from knowgate.net.address import read_host
from knowgate.net.connect import Connector, Resolve, TlsError, system_resolve
from knowgate.net.quiet import keep_quiet
from knowgate.net.rules import NetRules, check_host
from knowgate.version import __version__

_SILENCE_SECONDS = 15.0


def open_client(
    rules: NetRules, *, resolve: Resolve = system_resolve, tls: ssl.SSLContext | None = None
) -> httpx2.Client:
    """A client for one exchange: its clock starts now. It does not follow redirects; that is the caller's decision."""
    keep_quiet()
    return httpx2.Client(
        transport=_Transport(Connector(rules, resolve), rules.max_bytes, tls),
        timeout=min(_SILENCE_SECONDS, rules.timeout_seconds),
        headers={"User-Agent": f"knowgate/{__version__}", "Accept-Encoding": "gzip, deflate"},
        trust_env=False,
    )


def read_url(url: str | httpx2.URL) -> httpx2.URL:
    """The address in its plain form: numeric hosts as dotted quads, no final dot, no fragment."""
    try:
        parsed = httpx2.URL(url)
        if parsed.scheme not in {"http", "https"}:
            raise _bad_url(f"The address starts with {parsed.scheme or 'no scheme'!r}, not with http or https.")
        host = read_host(parsed.raw_host.decode("ascii"))
    except (httpx2.InvalidURL, ValueError) as error:
        raise _bad_url(f"The address is not valid: {error}.") from error
    if parsed.userinfo:
        raise _bad_url("The address carries a user name or password, which would end up in logs.")
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise _bad_url(f"{parsed.port} is not a port.")
    return parsed.copy_with(host=str(host), fragment=None)


def check_url(url: str, rules: NetRules) -> None:
    """Refuse an address that is off limits, as far as can be told without asking a resolver."""
    parsed = read_url(url)
    check_host(read_host(parsed.host), parsed.port or (443 if parsed.scheme == "https" else 80), rules)


def plain(url: httpx2.URL) -> str:
    """For messages: without the query, where keys like to hide."""
    return str(url.copy_with(query=None))


def _bad_url(message: str) -> InputError:
    return InputError("bad_url", message, "Give an address like https://example.com/guide.pdf.")


def too_large(url: httpx2.URL, max_bytes: int) -> LimitError:
    return LimitError(
        "too_large", f"{plain(url)} is larger than {max_bytes:,} bytes.", "Raise the size limit, or split the file."
    )


class _Transport(httpx2.BaseTransport):
    """What httpx2's own transport does, over our connector and with our errors."""

    def __init__(self, connector: Connector, max_bytes: int, tls: ssl.SSLContext | None) -> None:
        # Offering HTTP/2 without being able to speak it would end the conversation.
        http2 = find_spec("h2") is not None
        self._pool = httpcore2.ConnectionPool(network_backend=connector, ssl_context=tls, http2=http2)
        self._max_bytes = max_bytes

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = read_url(request.url)
        outgoing = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.read(),
            extensions=request.extensions,
        )
        with _typed_errors(url):
            incoming = self._pool.handle_request(outgoing)
        assert isinstance(incoming.stream, Iterable)
        body = _Body(incoming.stream, url, self._max_bytes)
        return httpx2.Response(incoming.status, headers=incoming.headers, stream=body)

    def close(self) -> None:
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """The body as it comes over the wire, up to the cap."""

    def __init__(self, stream: Iterable[bytes], url: httpx2.URL, max_bytes: int) -> None:
        self._stream = stream
        self._url = url
        self._max_bytes = max_bytes

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        with _typed_errors(self._url):
            for part in self._stream:
                received += len(part)
                if received > self._max_bytes:
                    raise too_large(self._url, self._max_bytes)
                yield part

    def close(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()


@contextmanager
def _typed_errors(url: httpx2.URL) -> Generator[None]:
    where = plain(url)
    try:
        yield
    except httpcore2.TimeoutException as error:
        fix = "Try again later, or raise the time limit."
        raise NetworkError("timeout", f"{where} took too long.", fix) from error
    except TlsError as error:
        fix = "Check the host name; a private certificate authority has to be in the system's trust store."
        raise NetworkError("tls_error", f"No secure connection to {url.host}: {error}.", fix) from error
    except httpcore2.NetworkError as error:
        fix = "Check the address and the network."
        raise NetworkError("unreachable", f"{where} cannot be reached: {error}.", fix) from error
    except httpcore2.ProtocolError as error:
        fix = "Try again, or download the file yourself."
        raise NetworkError("bad_response", f"{where} did not answer in proper HTTP: {error}.", fix) from error

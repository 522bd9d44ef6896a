"""Where connections are made: resolve once, check the answer, connect to exactly that, be done by the deadline."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from ipaddress import ip_address
from threading import Thread
from typing import Any

import httpcore2

from knowgate.net.address import Address, read_host
from knowgate.net.rules import NetRules, check_addresses, check_host

Resolve = Callable[[str], Iterable[str]]
"""From a host's name to its addresses; raises OSError when it has none."""


def system_resolve(name: str) -> list[str]:
    # As bytes, because for text Python applies an older form of IDNA; the name is ASCII by now.
    found = socket.getaddrinfo(name.encode("ascii"), None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class TlsError(httpcore2.ConnectError):
    """The machine was reached, but no secure connection came about."""


class Connector(httpcore2.NetworkBackend):
    def __init__(self, rules: NetRules, resolve: Resolve) -> None:
        self._rules = rules
        self._resolve = resolve
        self._deadline = time.monotonic() + rules.timeout_seconds
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        target = read_host(host)
        check_host(target, port, self._rules)
        addresses = self._lookup(target, timeout) if isinstance(target, str) else [target]
        check_addresses(target, port, addresses, self._rules)
        failure: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in addresses:
            seconds = _left(self._deadline, timeout)
            try:
                stream = self._sockets.connect_tcp(str(address), port, seconds, local_address, socket_options or ())
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return _Stream(stream, self._deadline)
        raise failure

    def _lookup(self, name: str, timeout: float | None) -> list[Address]:
        # The system's resolver knows no timeout, so it is waited for in a thread that may be left behind.
        answer: Future[list[str]] = Future()

        def ask() -> None:
            try:
                answer.set_result(list(self._resolve(name)))
            except OSError as error:
                answer.set_exception(error)

        Thread(target=ask, name="resolve", daemon=True).start()
        try:
            return [ip_address(found) for found in answer.result(_left(self._deadline, timeout))]
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"{name} was not resolved in time") from error
        except OSError as error:
            raise httpcore2.ConnectError(f"no such host as {name}") from error


class _Stream(httpcore2.NetworkStream):
    """A connection on which no wait outlasts the deadline, however slowly the other side drips."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._deadline, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline, timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            secure = self._stream.start_tls(ssl_context, server_hostname, _left(self._deadline, timeout))
        except httpcore2.ConnectError as error:
            if isinstance(error.__cause__, ssl.SSLError):
                raise TlsError(_reason(error.__cause__)) from error
            raise
        return _Stream(secure, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _reason(error: ssl.SSLError) -> str:
    said = error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else error.reason
    return (said or "the handshake failed").removesuffix(".")


def _left(deadline: float, timeout: float | None) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore2.TimeoutException("the deadline has passed")
    return left if timeout is None else min(left, timeout)

"""A request goes out with its credentials, and what came back is brought in: in time, in bounds, from that origin."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from knowgate.apis.arguments import IDEMPOTENCY_KEY
from knowgate.apis.credentials.grant import Grant
from knowgate.apis.credentials.profile import origin_of
from knowgate.apis.operation import Operation
from knowgate.apis.retry import IDEMPOTENT, pause_before_retry, read_retry_after
from knowgate.apis.wires import bare_query, same_target, with_cookies, with_query
from knowgate.errors import ForbiddenError, InputError, LimitError, NetworkError
from knowgate.net import NetRules

if TYPE_CHECKING:
    import httpx2

    from knowgate.apis.request import Request
    from knowgate.net.connect import Resolve

_CONNECT_SECONDS = 10.0
_MAX_REDIRECTS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOLLOWED = frozenset({"GET", "HEAD"})
_DECODED_HERE = {"", "identity", "gzip", "deflate"}
_LARGEST_RATIO = 200
_RATIO_FROM = 1024 * 1024
_log = logging.getLogger("knowgate.apis")


@dataclass(frozen=True, slots=True)
class Received:
    """What came back, as it came."""

    operation: str
    method: str
    url: str
    """Where it came from in the end, without credentials."""
    status: int
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    duration_ms: int
    tries: int

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")


def send(
    request: Request,
    rules: NetRules,
    *,
    grant: Grant | None = None,
    operation: Operation | None = None,
    may_follow: Callable[[str], bool] | None = None,
    repeatable: bool = True,
    resolve: Resolve | None = None,
) -> Received:
    """Send it and read the answer, whatever its status.

    `rules.timeout_seconds` is for all of it, tries, pauses and redirects included. `may_follow` is asked about each
    redirect, which in any case leads to the same origin; what is not followed is the answer. Not `repeatable` is what
    changes something although its method says that it does not.
    """
    from knowgate.net.client import open_client
    from knowgate.net.connect import system_resolve

    if grant and grant.origin != origin_of(request.url):
        message = f"A credential for {grant.origin} was about to be sent to {origin_of(request.url)}."
        raise ForbiddenError("profile_not_allowed", message, "Choose a profile that is bound to this origin.")
    request = _with_idempotency_key(request, operation)
    with open_client(rules, resolve=resolve or system_resolve, tls=grant.tls if grant else None) as client:
        exchange = _Exchange(client, grant or Grant(origin_of(request.url)), rules, repeatable)
        received = exchange.run(request)
        for _ in range(_MAX_REDIRECTS):
            target = _redirect(received)
            if not target or (may_follow and not may_follow(target)):
                break
            received = exchange.run(replace(request, url=target))
        return received


def _with_idempotency_key(request: Request, operation: Operation | None) -> Request:
    declared = next(
        (
            parameter.name
            for parameter in (operation.parameters if operation else ())
            if parameter.place == "header" and parameter.name.lower() == IDEMPOTENCY_KEY
        ),
        "",
    )
    if not declared or _has_key(request):
        return request
    return replace(request, headers=(*request.headers, (declared, uuid4().hex)))


def _has_key(request: Request) -> bool:
    return any(name.lower() == IDEMPOTENCY_KEY for name, _ in request.headers)


def _redirect(received: Received) -> str:
    """Where to go on: only for reading, and only within the origin."""
    target = redirect_target(received)
    return target if received.method in _FOLLOWED and target and _same_origin(received, target) else ""


def redirect_target(received: Received) -> str:
    """Where an answer leads to that is a redirect to some address; else nothing."""
    import httpx2

    location = received.header("location")
    if received.status not in REDIRECTS or not location:
        return ""
    try:
        target = str(httpx2.URL(received.url).join(location).copy_with(fragment=None))
        return target if origin_of(target) else ""
    except (httpx2.InvalidURL, InputError):
        return ""


def why_not_followed(received: Received, target: str) -> str:
    if received.method not in _FOLLOWED:
        return "only what reads is sent on"
    if not _same_origin(received, target):
        return "it is another origin, and nothing is sent there"
    return f"the policy does not allow it, or it was the {_MAX_REDIRECTS + 1}th in a row"


def _same_origin(received: Received, target: str) -> bool:
    return origin_of(target) == origin_of(received.url)


class _Exchange:
    """Everything that happens for one request, under one clock."""

    def __init__(self, client: httpx2.Client, grant: Grant, rules: NetRules, repeatable: bool) -> None:
        self._client = client
        self._grant = grant
        self._rules = rules
        self._repeatable = repeatable
        self._started = time.monotonic()
        self._tries = 0
        self._sent = False

    def run(self, request: Request) -> Received:
        idempotent = self._repeatable and request.method in IDEMPOTENT
        safe = idempotent or _has_key(request)
        first = self._tries
        while True:
            self._tries += 1
            tries, before = self._tries - first, self._sent
            try:
                received = self._once(request)
            except NetworkError as error:
                # What never left may leave again, whatever it is.
                pause = pause_before_retry(tries, self._left()) if safe or self._sent == before else None
                if pause is None or error.code == "tls_error":
                    if self._sent and not idempotent:
                        raise _outcome_unknown(request, error) from error
                    raise
            else:
                after = read_retry_after(received.header("retry-after"), datetime.now(UTC))
                retry = pause_before_retry(tries, self._left(), status=received.status, retry_after=after)
                if retry is None or not safe:
                    return received
                pause = retry
                if after is not None:
                    # Nobody waits in silence for longer than he would expect.
                    said = "%s: answered with %s and asked for a pause; trying again in %.0f seconds."
                    _log.info(said, request.operation, received.status, pause)
            time.sleep(pause)

    def _left(self) -> float:
        return self._started + self._rules.timeout_seconds - time.monotonic()

    def _once(self, request: Request) -> Received:
        outgoing = self._outgoing(request)
        with _no_library_errors(request):
            response = self._client.send(outgoing, stream=True)
        try:
            with _no_library_errors(request):
                body = _read_body(response, request, self._rules.max_bytes)
        finally:
            response.close()
        return Received(
            operation=request.operation,
            method=request.method,
            url=bare_query(request.url, [name for name, _ in self._grant.query]),
            status=response.status_code,
            headers=tuple(response.headers.multi_items()),
            body=body,
            duration_ms=round((time.monotonic() - self._started) * 1000),
            tries=self._tries,
        )

    def _outgoing(self, request: Request) -> httpx2.Request:
        import httpx2

        from knowgate.net.client import read_url

        url = with_query(request.url, [(name, value.reveal()) for name, value in self._grant.query])
        target = read_url(url)
        if not same_target(url, target.raw_path.decode("ascii")):
            fix = "Give a path without dot segments, spaces and other characters that have to be escaped."
            raise InputError("bad_url", "The request would be sent to another address than was checked.", fix)
        headers = with_cookies(request.headers, [(name, value.reveal()) for name, value in self._grant.cookies])
        if request.content_type:
            headers = (*headers, ("Content-Type", request.content_type))
        granted = {name.lower() for name, _ in self._grant.headers}
        headers = tuple((name, value) for name, value in headers if name.lower() not in granted)
        named = {name.lower() for name, _ in headers}
        usual = [(name, value) for name, value in self._client.headers.multi_items() if name.lower() not in named]
        return httpx2.Request(
            request.method,
            target,
            headers=[*usual, *headers, *((name, value.reveal()) for name, value in self._grant.headers)],
            content=request.body,
            extensions={
                "timeout": httpx2.Timeout(self._rules.timeout_seconds, connect=_CONNECT_SECONDS).as_dict(),
                "trace": self._watch,
            },
        )

    def _watch(self, event: str, info: object) -> None:  # noqa: ARG002
        if event.endswith("send_request_headers.started"):
            self._sent = True


def _read_body(response: httpx2.Response, request: Request, max_bytes: int) -> bytes:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    # Encodings stacked on each other would multiply a bomb between the places where bytes are counted.
    if encoding not in _DECODED_HERE:
        raise _bad_response(request, "its content encoding was not asked for")
    data = bytearray()
    try:
        for part in response.iter_bytes():
            data += part
            bomb = len(data) > _RATIO_FROM and len(data) > _LARGEST_RATIO * response.num_bytes_downloaded
            if bomb or len(data) > max_bytes:
                raise _too_large(request, response.status_code, max_bytes)
    except LimitError:
        raise _too_large(request, response.status_code, max_bytes) from None
    return bytes(data)


@contextmanager
def _no_library_errors(request: Request) -> Generator[None]:
    """The HTTP library's own errors carry the request, and with it the credentials."""
    import httpx2

    try:
        yield
    except httpx2.HTTPError as error:
        raise _bad_response(request, type(error).__name__) from None


def _bad_response(request: Request, why: str) -> NetworkError:
    message = f"The answer to {request.operation} is unusable: {why}."
    return NetworkError("bad_response", message, "Try again, or ask whoever runs the API.")


def _too_large(request: Request, status: int, max_bytes: int) -> LimitError:
    return LimitError(
        "too_large",
        f"{request.operation} was answered with {status}, but the answer is larger than {max_bytes:,} bytes "
        "or grows beyond measure when it is unpacked.",
        "Ask for less: use the operation's filters or its page size.",
    )


def _outcome_unknown(request: Request, error: NetworkError) -> NetworkError:
    return NetworkError(
        "outcome_unknown",
        f"{request.operation} was sent, but its answer was lost ({error.code}): it may or may not have taken effect.",
        "Look at the current state with a reading operation before you send it again.",
    )

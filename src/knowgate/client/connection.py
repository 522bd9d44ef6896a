"""The two shells that really send: one pool of connections each, time limits and retries."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from knowgate.client.answers import read_answer, read_error
from knowgate.client.call import Call, Upload
from knowgate.client.errors import ClientError, ConnectionFailed, ServerError, ValidationError
from knowgate.client.options import Options
from knowgate.client.retries import pause_before_retry

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
_LARGEST_EVENT = 16 * 1024 * 1024


class Connection:
    def __init__(self, options: Options, http: httpx2.Client | None) -> None:
        import httpx2

        self._options = options
        self._own = http is None
        # A proxy set for the outside world must not swallow calls to a server on this machine.
        self._http = http or httpx2.Client(trust_env=not options.local)

    def send(self, call: Call[T]) -> T:
        for retries in count():
            try:
                return self._once(call)
            except ClientError as error:
                pause = pause_before_retry(error, retries) if call.safe else None
                if pause is None:
                    raise
            time.sleep(pause)
        raise AssertionError("the last retry returns or raises")

    def _once(self, call: Call[T]) -> T:
        with _request(self._options, call) as request, _typed_errors(self._options):
            response = self._http.request(**request)
        return read_answer(call, response)

    @contextmanager
    def messages(self, call: Call[object]) -> Generator[Iterator[str]]:
        """The data of the server's events."""
        from httpx2 import EventSource

        with (
            _request(self._options, call) as request,
            _typed_errors(self._options),
            self._http.stream(**request) as response,
        ):
            if not response.is_success:
                response.read()
                raise read_error(response)
            yield (event.data for event in EventSource(response, _LARGEST_EVENT))

    def close(self) -> None:
        if self._own:
            self._http.close()


class AsyncConnection:
    def __init__(self, options: Options, http: httpx2.AsyncClient | None) -> None:
        import httpx2

        self._options = options
        self._own = http is None
        self._http = http or httpx2.AsyncClient(trust_env=not options.local)

    async def send(self, call: Call[T]) -> T:
        from anyio import sleep

        for retries in count():
            try:
                return await self._once(call)
            except ClientError as error:
                pause = pause_before_retry(error, retries) if call.safe else None
                if pause is None:
                    raise
            await sleep(pause)
        raise AssertionError("the last retry returns or raises")

    async def _once(self, call: Call[T]) -> T:
        with _request(self._options, call) as request, _typed_errors(self._options):
            response = await self._http.request(**request)
        return read_answer(call, response)

    @asynccontextmanager
    async def messages(self, call: Call[object]) -> AsyncGenerator[AsyncIterator[str]]:
        """The data of the server's events."""
        from httpx2 import EventSource

        with _request(self._options, call) as request, _typed_errors(self._options):
            async with self._http.stream(**request) as response:
                if not response.is_success:
                    await response.aread()
                    raise read_error(response)
                yield (event.data async for event in EventSource(response, _LARGEST_EVENT))

    async def aclose(self) -> None:
        if self._own:
            await self._http.aclose()


@contextmanager
def _request(options: Options, call: Call[object]) -> Generator[dict[str, Any]]:
    """What the HTTP library needs, with the call's files open."""
    from httpx2 import Timeout

    headers = dict(options.headers)
    request: dict[str, Any] = {
        "method": call.method,
        "url": f"{options.base_url}/api/v1{call.path}",
        "params": call.params or None,
        "headers": headers,
        "timeout": Timeout(options.timeout, read=options.timeout + call.held),
        "follow_redirects": False,
    }
    if call.body is not None:
        headers["Content-Type"] = "application/json"
        request["content"] = json.dumps(call.body)
    with ExitStack() as files:
        if call.uploads:
            request["files"] = [("file", (upload.name, _content(upload, files))) for upload in call.uploads]
        yield request


def _content(upload: Upload, files: ExitStack) -> IO[bytes] | bytes:
    if not isinstance(upload.content, Path):
        return upload.content
    try:
        return files.enter_context(upload.content.open("rb"))
    except OSError as error:
        message = f"{upload.content} cannot be read: {error.strerror}."
        raise ValidationError("unreadable_path", message, "Check its permissions.") from error


@contextmanager
def _typed_errors(options: Options) -> Generator[None]:
    import httpx2

    where = options.where
    try:
        yield
    except httpx2.TimeoutException as error:
        message = f"{where} did not answer within {options.timeout:g} seconds."
        raise ConnectionFailed("timeout", message, "Try again, or raise the client's `timeout`.") from error
    except httpx2.ConnectError as error:
        fix = "Check that `knowgate serve` runs there, and that `base_url` or KNOWGATE_URL is its address."
        raise ConnectionFailed("unreachable", f"{where} cannot be reached: {error}.", fix) from error
    except httpx2.SSEError as error:
        fix = "Check that `base_url` is the address of a Knowgate server."
        raise ServerError("bad_answer", f"{where} did not answer with a stream of events: {error}", fix) from error
    except httpx2.HTTPError as error:
        message = f"The connection to {where} broke: {str(error) or type(error).__name__}."
        raise ConnectionFailed("connection_lost", message, "Try again; the server's log may say more.") from error
    except httpx2.InvalidURL as error:
        raise ValidationError("bad_url", f"{where}: {error}.", "Check `base_url`.") from error

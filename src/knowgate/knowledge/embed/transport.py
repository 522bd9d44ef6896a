"""JSON over HTTP to a model server: retried where it helps, and every failure a typed error without the key in it."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from knowgate.errors import InputError, KnowgateError, LimitError, NetworkError
from knowgate.knowledge.embed.wire import Connection
from knowgate.net.address import is_loopback
from knowgate.net.quiet import keep_quiet

if TYPE_CHECKING:
    import httpx2

_LONGEST_WAIT = 60.0
_TOO_LONG = re.compile(r"context (length|size|window)|too (long|large|many tokens)|maximum .*(length|tokens)", re.I)
_BAD_KEY = re.compile(r"api[ _]key", re.I)


@dataclass(frozen=True, slots=True)
class Fixes:
    """What a provider's user does about the failures that depend on the provider."""

    unreachable: str
    unknown_model: str


class _TransientError(Exception):
    def __init__(self, error: KnowgateError, after: float = 0.0) -> None:
        super().__init__(error)
        self.error = error
        self.after = after


class JsonTransport:
    def __init__(
        self,
        connection: Connection,
        base_url: str,
        fixes: Fixes,
        *,
        key_header: str = "Authorization",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`base_url` is the provider's own, for a connection that names no other."""
        self._base = _checked_url(connection.base_url or base_url)
        self._key = _checked_key(connection.api_key)
        self._headers = _key_headers(self._key, key_header)
        self._fixes = fixes
        self._timeout = connection.timeout_seconds
        self._sleep = sleep
        # Without user name and password, which an address may carry.
        self._where = urlsplit(self._base).netloc.rpartition("@")[2]

    def post(self, path: str, body: object, attempts: int) -> Any:
        for attempt in range(1, attempts + 1):
            try:
                return self._once(path, body)
            except _TransientError as failure:
                if attempt == attempts or failure.after > _LONGEST_WAIT:
                    raise failure.error from None
                backoff = 0.5 * 2 ** (attempt - 1) * random.uniform(0.5, 1.0)  # noqa: S311
                self._sleep(max(backoff, failure.after))
        raise AssertionError("at least one attempt")

    def close(self) -> None:
        client: httpx2.Client | None = self.__dict__.pop("_client", None)
        if client:
            client.close()

    def _once(self, path: str, body: object) -> Any:
        import httpx2
        import orjson

        try:
            response = self._client.post(self._base + path, content=orjson.dumps(body))
        except httpx2.TimeoutException:
            message = f"{self._where} did not answer within {self._timeout:g} seconds."
            fix = "Try again, or raise the embedder's `timeout_seconds`: a model that is being loaded takes longer."
            raise _TransientError(NetworkError("embedder_timeout", message, fix)) from None
        except httpx2.ConnectError:
            message = f"{self._where} cannot be reached."
            raise NetworkError("embedder_unreachable", message, self._fixes.unreachable) from None
        except httpx2.HTTPError:
            raise _TransientError(self._bad_answer("broke off its answer")) from None
        if response.status_code != 200:
            raise self._failure(response)
        try:
            return orjson.loads(response.content)
        except orjson.JSONDecodeError:
            raise self._bad_answer("did not answer with JSON") from None

    def _bad_answer(self, what: str) -> NetworkError:
        fix = "Check that `base_url` is the address of an embedding server."
        return NetworkError("embedder_bad_answer", f"{self._where} {what}.", fix)

    def _failure(self, response: httpx2.Response) -> Exception:
        status = response.status_code
        said = self._said(response)
        message = f"{self._where} answered {status}: {said}" if said else f"{self._where} answered {status}."
        if status == 429:
            after = _retry_after(response.headers)
            fix = f"Wait {after:.0f} seconds and try again." if after else "Wait a little and try again."
            return _TransientError(LimitError("embedder_rate_limited", message, fix), after)
        if status >= 500:
            error = NetworkError("embedder_failed", message, "Try again later; the server's own log says more.")
            return _TransientError(error, _retry_after(response.headers))
        if status in (401, 403) or (status == 400 and _BAD_KEY.search(said)):
            return NetworkError("embedder_refused_key", message, "Check the embedder's `api_key`.")
        if status == 404:
            return InputError("embedder_model_unknown", message, self._fixes.unknown_model)
        if status == 413 or _TOO_LONG.search(said):
            fix = "Make the chunks smaller, or lower the embedder's `batch_size`."
            return LimitError("embedder_input_too_long", message, fix)
        return InputError("embedder_refused", message, "Check the embedder's `model`, `dimension` and `base_url`.")

    def _said(self, response: httpx2.Response) -> str:
        """The server's own words, shortened; some repeat the key they were given."""
        import orjson

        try:
            said: Any = orjson.loads(response.content)
        except orjson.JSONDecodeError:
            return ""
        for name in ("error", "message", "detail"):
            if isinstance(said, dict):
                said = said.get(name, said)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not isinstance(said, str):
            return ""
        if self._key:
            said = said.replace(self._key, "***")
        return " ".join(said.split())[:300]

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        keep_quiet()
        timeout = httpx2.Timeout(self._timeout, connect=min(self._timeout, 10.0))
        # A proxy set for the outside world must not swallow calls to a model server on this machine.
        local = is_loopback(urlsplit(self._base).hostname or "")
        headers = {"Content-Type": "application/json", **self._headers}
        return httpx2.Client(headers=headers, timeout=timeout, trust_env=not local)


def _checked_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        fix = "Write it with its scheme, such as https://api.example.com/v1."
        raise InputError("embedder_bad_url", f"The embedder's `base_url` {base_url!r} is not a web address.", fix)
    return base_url.rstrip("/")


def require_key(connection: Connection, provider: str) -> None:
    """A server of one's own may do without; the provider's does not."""
    if not connection.api_key and not connection.base_url:
        raise InputError("embedder_key_missing", f"{provider} needs a key.", "Set the embedder's `api_key`.")


def _checked_key(api_key: str | None) -> str:
    key = (api_key or "").strip()
    if not key.isascii() or not key.isprintable():
        fix = "Copy it again, without quotes and line breaks."
        raise InputError("embedder_malformed_key", "The embedder's `api_key` contains characters no key has.", fix)
    return key


def _key_headers(key: str, name: str) -> dict[str, str]:
    if not key:
        return {}
    return {name: f"Bearer {key}" if name == "Authorization" else key}


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds to wait; the header holds seconds or a date."""
    from email.utils import parsedate_to_datetime

    value = headers.get("Retry-After", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0

"""From what the server sent to an answer or an error."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from knowgate.client.call import Call
from knowgate.client.errors import ClientError, ServerError, kind_of

if TYPE_CHECKING:
    import httpx2
    from pydantic import TypeAdapter

T = TypeVar("T")
_LONGEST_MESSAGE = 500


def read_answer(call: Call[T], response: httpx2.Response) -> T:
    if response.is_success:
        return parse(call.answer, response.content)
    if response.status_code == call.refusal:
        try:
            return parse(call.answer, response.content)
        except ServerError:
            raise read_error(response) from None
    raise read_error(response)


def parse(kind: type[T], given: bytes | Mapping[str, object]) -> T:
    """Fields that we do not know are left out: the server may be newer."""
    from pydantic import ValidationError

    try:
        if isinstance(given, bytes):
            return _reader(kind).validate_json(given)
        return _reader(kind).validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = f"The server's answer is not a {kind.__name__}: {f'{where}: ' if where else ''}{first['msg']}."
        fix = "Check that `base_url` is the address of a Knowgate server, and that it is not older than this client."
        raise ServerError("bad_answer", message, fix) from None


@cache
def _reader(kind: type[T]) -> TypeAdapter[T]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def read_error(response: httpx2.Response) -> ClientError:
    status = response.status_code
    said = _said(response.content)
    fix = said.get("fix") or ""
    if response.has_redirect_location:
        fix = f"Use the address it points to as `base_url`: {response.headers['Location']}."
    return kind_of(status)(
        said.get("code") or f"http_{status}",
        said.get("error") or f"HTTP {status}",
        fix,
        status_code=status,
        request_id=response.headers.get("x-request-id") or said.get("request_id") or "",
        retry_after=read_retry_after(response.headers.get("retry-after", ""), time.time()),
        approval_id=said.get("approval_id") or "",
    )


def read_retry_after(value: str, now: float) -> float | None:
    """Seconds to wait; the header holds seconds or a date."""
    from email.utils import parsedate_to_datetime

    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _said(content: bytes) -> dict[str, str]:
    """The server's words. Proxies and other servers have forms of their own: `detail`, or plain text."""
    try:
        body: Any = json.loads(content)
    except (ValueError, RecursionError):
        return {"error": _short(content.decode("utf-8", "replace"))}
    if not isinstance(body, dict):
        return {}
    said = cast("dict[str, Any]", body)
    detail = said.get("detail")
    if isinstance(detail, dict):
        said = {**cast("dict[str, Any]", detail), **said}
    elif "error" not in said:
        said = {**said, "error": detail}
    return {name: _short(value) for name, value in said.items() if isinstance(value, str)}


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + "…"

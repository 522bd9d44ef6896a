"""A document from an address: fetched within the rules, with what its server says about it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from knowgate.errors import ForbiddenError, NetworkError
from knowgate.net import NetRules

if TYPE_CHECKING:
    import httpx2

    from knowgate.net.connect import Resolve

_MAX_REDIRECTS = 5
_MAX_NAME = 150
_DECODED_HERE = {"", "identity", "gzip", "deflate"}


@dataclass(frozen=True, slots=True)
class Fetched:
    data: bytes
    name: str
    modified_at: float | None


def fetch(url: str, rules: NetRules, *, resolve: Resolve | None = None) -> Fetched:
    """GET one document; KnowgateError when the rules, the network or the server do not allow it."""
    import httpx2

    from knowgate.net.client import open_client, plain, read_url
    from knowgate.net.connect import system_resolve

    target = read_url(url)
    with open_client(rules, resolve=resolve or system_resolve) as client:
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                with client.stream("GET", target) as response:
                    if response.next_request is None:
                        return _read(target, response, rules.max_bytes)
                    target = _redirected(target, read_url(response.next_request.url))
            except httpx2.RequestError as error:
                raise _bad_response(plain(target), str(error)) from error
    raise NetworkError(
        "too_many_redirects",
        f"{plain(read_url(url))} was still redirecting after {_MAX_REDIRECTS} redirects.",
        "Open the address in a browser and give the one it ends at.",
    )


def _redirected(here: httpx2.URL, there: httpx2.URL) -> httpx2.URL:
    if here.scheme == "https" and there.scheme == "http":
        raise ForbiddenError(
            "insecure_redirect",
            f"{here.host} redirects from https to http, where the document could be changed on its way.",
            "Give the http address itself if you trust it.",
        )
    return there


def _read(url: httpx2.URL, response: httpx2.Response, max_bytes: int) -> Fetched:
    from knowgate.net.client import plain, too_large

    if not response.is_success:
        status = f"{response.status_code} {response.reason_phrase}".strip()
        raise NetworkError("http_status", f"{plain(url)} answered {status}.", _fix_for(response.status_code))
    encoding = response.headers.get("content-encoding", "").strip().lower()
    # Encodings stacked on each other would multiply a bomb between the two places where bytes are counted.
    if encoding not in _DECODED_HERE:
        raise _bad_response(plain(url), f"its content encoding is {encoding!r}, which was not asked for")
    declared = response.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise too_large(url, max_bytes)
    data = bytearray()
    for part in response.iter_bytes():
        data += part
        if len(data) > max_bytes:
            raise too_large(url, max_bytes)
    name, modified_at = describe(response.headers)
    return Fetched(bytes(data), name or _name_from(url), modified_at)


def _bad_response(where: str, why: str) -> NetworkError:
    return NetworkError("bad_response", f"The answer of {where} is unusable: {why}.", "Download the file yourself.")


def _fix_for(status: int) -> str:
    if status in {401, 403, 407}:
        return "It needs a sign-in: download the file yourself and ingest that."
    if status in {404, 410}:
        return "Check the address."
    if status == 429 or status >= 500:
        return "Try again later."
    return "Open the address in a browser to see what it wants."


def describe(headers: Mapping[str, str]) -> tuple[str, float | None]:
    """The document's name and its time, as the response headers say; empty and None when they do not."""
    return _filename(headers.get("content-disposition", "")), _timestamp(headers.get("last-modified", ""))


def _filename(disposition: str) -> str:
    from email.message import Message
    from email.utils import collapse_rfc2231_value

    message = Message()
    message["content-disposition"] = disposition
    # Extended names (`filename*=`) come last and are the ones to prefer.
    names = [value for key, value in message.get_params([], "content-disposition") if key == "filename"]
    try:
        return clean_name(collapse_rfc2231_value(names[-1])) if names else ""
    except ValueError:
        # The server chooses the codec, and Python has some that refuse any input.
        return ""


def clean_name(name: str) -> str:
    """Only the last part of a path, without characters that hide, reorder or are not allowed in file names."""
    name = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    name = "".join(char for char in name if unicodedata.category(char)[0] != "C" and char not in '<>:"|?*')
    name = " ".join(name.split()).strip(". ")
    if len(name) <= _MAX_NAME:
        return name
    stem, dot, suffix = name.rpartition(".")
    return stem[: _MAX_NAME - 16] + dot + suffix if stem and len(suffix) < 16 else name[:_MAX_NAME]


def _name_from(url: httpx2.URL) -> str:
    last = url.path.rstrip("/").rpartition("/")[2]
    return clean_name(unquote(last)) or url.host


def _timestamp(date: str) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError, OSError):
        return None

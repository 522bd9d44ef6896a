"""The spellings of an address: what it says for sure, and what a server might make of it."""

from __future__ import annotations

import posixpath
import re
import string
from urllib.parse import unquote, urlsplit

from knowgate.guard.policy.globs import Texts

_PLAIN = re.compile(r"[!-\[\]-~]+")
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_DOTS = re.compile(r"/\.{1,2}(?:/|$)")
_PARAMETERS = re.compile(r";[^/]*")
_UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
_PORTS = {"http": 80, "https": 443}


def spellings(url: str) -> Texts:
    """Host, path, host with path and the whole address. The query is not among what is sure: its text is the caller's
    choice and proves nothing."""
    if not url:
        return Texts(())
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return Texts((), (url,))
    scheme = parts.scheme.lower()
    if port is not None and port != _PORTS.get(scheme):
        host = f"{host}:{port}"
    path = _ESCAPED.sub(_decode_unreserved, parts.path) or "/"
    exact = ()
    # What has backslashes or dot segments is not what a request builder writes: it can be refused, not trusted.
    if _PLAIN.fullmatch(url) and not _DOTS.search(path):
        paths = (path,) if path == "/" or not path.endswith("/") else (path, path.rstrip("/"))
        exact = (host, *(text for one in paths for text in (one, f"{host}{one}", f"{scheme}://{host}{one}")))
    decoded = path
    for _ in range(3):
        decoded = unquote(decoded)
    flat = _PARAMETERS.sub("", decoded.replace("\\", "/"))
    whole = "/" + posixpath.normpath(flat).lstrip("/.")
    loose = {path, decoded, whole.rstrip("/"), f"{whole.rstrip('/')}/"}
    if parts.query:
        loose.add(f"{path}?{unquote(parts.query)}")
    others = [text for one in loose for text in (one, f"{host}{one}", f"{scheme}://{host}{one}")]
    return Texts(exact, [url.replace("\\", "/"), *others])


def _decode_unreserved(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if char in _UNRESERVED else found[0].upper()

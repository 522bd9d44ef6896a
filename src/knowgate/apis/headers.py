"""Headers and cookies: which ones are not the caller's, and what their values may hold."""

from __future__ import annotations

import re
from urllib.parse import quote

from knowgate.errors import InputError

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_COOKIE_SAFE = "!#$&'()*+/:<=>?@[]^_`{|}~-."

_OURS = frozenset(
    # Hop by hop, framing, and where the request goes.
    "connection keep-alive te trailer transfer-encoding upgrade expect host content-length content-encoding "
    "forwarded via x-original-url x-rewrite-url x-real-ip "
    # Who calls: credentials are added behind the gate, and only there.
    "authorization cookie set-cookie "
    # Another method than the one the policy saw.
    "x-http-method x-http-method-override x-method-override x-original-method".split()
)
_OUR_PREFIXES = ("proxy-", "x-forwarded-", "sec-")


def is_ours(name: str) -> bool:
    """Headers that no argument may set, whatever the description declares."""
    lower = name.lower().replace("_", "-")
    return lower in _OURS or lower.startswith(_OUR_PREFIXES)


def header(name: str, value: str) -> tuple[str, str]:
    if not _TOKEN.fullmatch(name):
        raise InputError("unsafe_value", f"{name!r} is not the name of a header.", "Leave it out.")
    if not _VALUE.fullmatch(value):
        raise InputError(
            "unsafe_value",
            f"/{name} holds what a header cannot: line breaks, control or non-ASCII characters, or spaces around it.",
            "Send one line of plain visible characters.",
        )
    return name, value


def cookie_name(name: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise InputError("unsafe_value", f"{name!r} is not the name of a cookie.", "Use letters, digits, - and _.")
    return name


def cookie_text(text: str) -> str:
    """What a cookie cannot hold is percent-encoded, and no more: most servers do not decode cookies."""
    if re.search(r"[\x00-\x1f\x7f]", text):
        raise InputError("unsafe_value", "A cookie cannot hold line breaks or control characters.", "Leave them out.")
    return quote(text, safe=_COOKIE_SAFE)


def plain_member(text: str) -> str:
    """A member of a list in a header, where nothing is encoded and a comma would make it two."""
    if "," in text:
        raise InputError("unsafe_value", f"{text!r} holds a comma, which separates members.", "Send it without.")
    return text

"""Secrets we hold ourselves, in every form in which a server may echo them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote, quote_plus

from knowgate.guard.redact.patterns import Span, compiled, found

KIND = "CREDENTIAL"
_SHORTEST = 4
"""A shorter secret would take ordinary words with it."""


def patterns(secrets: Iterable[str]) -> list[str]:
    """One pattern for each form of each secret, the longest first."""
    found: set[str] = set()
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            found |= {_literal(form) for form in _written(secret)} | _encoded(secret.encode()) | _escaped(secret)
    return sorted(found, key=lambda pattern: (-len(pattern), pattern))


def _written(secret: str) -> set[str]:
    """As text: plain, in an address, in JSON (once or twice), in a page."""
    addresses = {quote(secret, safe=""), quote(secret), quote_plus(secret), quote(secret, safe="!'()*~-._")}
    quoted = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    quoted |= {form.replace("/", "\\/") for form in quoted}
    twice = {json.dumps(form, ensure_ascii=False)[1:-1] for form in quoted}
    lower = {re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), form) for form in addresses}
    upper = {re.sub(r"\\u[0-9a-f]{4}", lambda match: "\\u" + match[0][2:].upper(), form) for form in quoted}
    return {secret, escape(secret), escape(secret, quote=False)} | addresses | lower | quoted | upper | twice


def _encoded(secret: bytes) -> set[str]:
    """As bytes: hex, and base64 wherever the secret begins within a group of three."""
    found = {_literal(secret.hex()), _literal(secret.hex().upper())}
    for offset in range(3):
        plain = base64.b64encode(bytes(offset) + secret).rstrip(b"=").decode()
        # The first and last characters share bits with the neighbours; they go, too, whatever they are.
        head, tail = (0, 2, 3)[offset], 1 if (offset + len(secret)) % 3 else 0
        core = plain[head : len(plain) - tail]
        for form in (core, core.replace("+", "-").replace("/", "_"), quote(core, safe=""), core.replace("/", "\\/")):
            found.add(rf"[\w+/-]{{0,{head}}}{_literal(form)}" + (r"[\w+/-]?(?:=|%3[Dd]){0,2}" if tail else ""))
    return found


def _escaped(secret: str) -> set[str]:
    """Every character of it, though few need it: in JSON, once or twice, and in an address."""
    units = secret.encode("utf-16-be").hex()
    json_ = "".join(rf"\\{{1,2}}u(?i:{units[at : at + 4]})" for at in range(0, len(units), 4))
    return {json_, "".join(f"%(?i:{byte:02x})" for byte in secret.encode())}


def _literal(form: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in form.encode())


class Known:
    def __init__(self, forms: list[str]) -> None:
        self._regexp = compiled("|".join(forms), groups=False) if forms else None

    def find(self, data: bytes) -> Iterator[Span]:
        return iter(()) if self._regexp is None else found(self._regexp, KIND, data)

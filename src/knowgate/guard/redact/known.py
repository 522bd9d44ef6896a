"""Secrets we hold ourselves, in every form in which a server may echo them, or a caller may try to send them away."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from knowgate.guard.redact.patterns import Span, compiled, found

KIND = "CREDENTIAL"
_SHORTEST = 4
"""A shorter secret would take ordinary words with it."""
_UNMISTAKABLE = 16
"""From here on letters count in either case: nothing else is so much like it."""
_LONGEST = 63
"""Of a longer one only its end, about this much, is looked for in every form, and what it hangs on goes along.

The end, because tokens of one issuer all begin alike."""
_ENTITIES = {"&": "&amp;|&#38;", "<": "&lt;|&#60;", ">": "&gt;|&#62;", '"': "&quot;|&#34;", "'": "&apos;|&#39;|&#x27;"}
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_PERCENT = "%(?:25){0,2}"
_IN_BASE64 = {"+": rf"(?:[+-]|{_PERCENT}2[Bb])", "/": rf"(?:\\*[/_]|{_PERCENT}2[Ff])"}
_DELIMITERS = re.compile(rb"[\s\"'<>&]")


class Form(NamedTuple):
    anchor: str
    """Finds the place: nothing in it is open at the front, which makes looking slow."""
    before: str = ""
    """What goes along in front of it."""
    end_only: bool = False
    """It is the end of something longer."""


def forms(secrets: Iterable[str]) -> list[Form]:
    """Some patterns for each secret, the longest first."""
    found = {form for secret in secrets if len(secret) >= _SHORTEST for form in _forms(secret)}
    return sorted(found, key=lambda form: (-len(form.anchor), form))


def wholes(secrets: Iterable[str]) -> list[bytes]:
    """Long ones as they are mostly written: spaces and quotes in them do not break them off."""
    long = (secret for secret in secrets if len(secret) > _LONGEST)
    return [form.encode() for secret in long for form in {secret, json.dumps(secret)[1:-1], *_addresses(secret)}]


def _forms(secret: str) -> Iterator[Form]:
    long = len(secret) > _LONGEST
    # Whole groups of base64 before it, so that it ends base64 of the whole as it ends the whole.
    part = secret[(len(secret) - _LONGEST) // 3 * 3 :] if long else secret
    found = [Form(_spelled(part)), Form(f"(?i:{part.encode().hex()})")]
    for text in (part, *_inside(part)):
        found += (Form(core, before) for before, core in _base64(text.encode()))
    for form in found:
        anchor = f"(?i:{form.anchor})" if len(secret) >= _UNMISTAKABLE else form.anchor
        yield form._replace(anchor=anchor, end_only=long)


def _spelled(text: str) -> str:
    """Each character by itself in any spelling: nobody has to escape all of them, or in one way."""
    return "".join(f"(?:{'|'.join(_spellings(character))})" for character in text)


def _spellings(character: str) -> Iterator[str]:
    """In an address, once or more often; in JSON, once or twice; in a page; as it is."""
    if character.isascii():
        yield rf"(?:{_PERCENT}|\\+u00)(?i:{ord(character):02x})"
    else:
        yield "".join(rf"{_PERCENT}(?i:{byte:02x})" for byte in character.encode())
        units = character.encode("utf-16-be").hex()
        yield "".join(rf"\\+u(?i:{units[at : at + 4]})" for at in range(0, len(units), 4))
    if character in _CONTROLS:
        yield rf"\\+{_CONTROLS[character]}"
    if character in _ENTITIES:
        yield _ENTITIES[character]
    if character == " ":
        yield r"\+"
    # Itself last: the first that fits counts, and a `%` is also how its own escape begins.
    yield rf"\\*{_literal(character)}" if character in '"/\\' else _literal(character)


def _inside(secret: str) -> set[str]:
    """What may have been made of it before it was written in base64: made fit for an address, or base64 already."""
    addresses = _addresses(secret)
    encoded = {b64encode(secret.encode()).decode(), urlsafe_b64encode(secret.encode()).decode()}
    return (addresses | {_lower(form) for form in addresses} | encoded) - {secret}


def _addresses(secret: str) -> set[str]:
    return {quote(secret, safe=""), quote(secret), quote_plus(secret)}


def _lower(address: str) -> str:
    """With the digits of its escapes in small letters."""
    first, *rest = address.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def _base64(data: bytes) -> Iterator[tuple[str, str]]:
    """What stands in front, and itself: in either alphabet, wherever the data begins within a group of three."""
    for offset in range(3):
        plain = b64encode(bytes(offset) + data).rstrip(b"=").decode()
        # The first and last characters share bits with the neighbours; they go, too, whatever they are.
        head, tail = (0, 2, 3)[offset], 1 if (offset + len(data)) % 3 else 0
        core = "".join(_IN_BASE64.get(character, character) for character in plain[head : len(plain) - tail])
        after = rf"[\w+/-]?(?:=|{_PERCENT}3[Dd]){{0,2}}" if tail else ""
        yield rf"[\w+/-]{{0,{head}}}" if head else "", core + after


def _literal(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


class Known:
    def __init__(self, forms: list[Form], wholes: list[bytes]) -> None:
        self._wholes = wholes
        self._short = _either(form for form in forms if not form.end_only)
        self._ends = _either(form for form in forms if form.end_only)

    def find(self, data: bytes) -> Iterator[Span]:
        if self._short:
            yield from found(self._short, KIND, data)
        for whole in self._wholes:
            start = data.find(whole)
            while start >= 0:
                yield Span(start, start + len(whole), KIND)
                start = data.find(whole, start + len(whole))
        if self._ends:
            for start, end, kind in found(self._ends, KIND, data):
                yield Span(_run(data, start), end, kind)


def _either(forms: Iterable[Form]) -> Any:
    patterns = [form.before + form.anchor for form in forms]
    return compiled("|".join(patterns), groups=False) if patterns else None


def _run(data: bytes, start: int) -> int:
    """Where the unbroken run begins in which something stands."""
    while start and not _DELIMITERS.match(data, start - 1):
        start -= 1
    return start

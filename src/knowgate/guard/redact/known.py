"""Secrets we hold ourselves, in every form in which a server may echo them, or a caller may try to send them away."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from knowgate.guard.redact.patterns import Span, compiled, found

KIND = "CREDENTIAL"
_SHORTEST = 4
"""A shorter secret would take ordinary words with it."""
_UNMISTAKABLE = 16
"""From here on letters count in either case: nothing else is so much like it."""
_LONGEST = 63
"""Of a longer one this much, whole groups of base64, is looked for in every form, and what hangs on it goes along."""
_ENTITIES = {"&": "&amp;|&#38;", "<": "&lt;|&#60;", ">": "&gt;|&#62;", '"': "&quot;|&#34;", "'": "&apos;|&#39;|&#x27;"}
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_PERCENT = "%(?:25){0,2}"
_IN_BASE64 = {"+": rf"(?:[+-]|{_PERCENT}2[Bb])", "/": rf"(?:\\*[/_]|{_PERCENT}2[Ff])"}
_MORE_TEXT, _MORE_BASE64 = r"[^\s\"'<>&]*", r"[\w+/%=-]*"


class Form(NamedTuple):
    anchor: str
    """Finds the place: nothing in it is open at the front, which makes looking slow."""
    before: str = ""
    """What goes along in front of it."""


def forms(secrets: Iterable[str]) -> list[Form]:
    """Some patterns for each secret, the longest first."""
    found = {form for secret in secrets if len(secret) >= _SHORTEST for form in _forms(secret)}
    return sorted(found, key=lambda form: (-len(form.anchor), form))


def _forms(secret: str) -> Iterator[Form]:
    head, long = secret[:_LONGEST], len(secret) > _LONGEST
    found = [
        Form(_spelled(head) + (_MORE_TEXT if long else "")),
        Form(f"(?i:{head.encode().hex()})" + ("[0-9a-fA-F]*" if long else "")),
    ]
    for text in (head, *_inside(head)):
        found += (Form(core + (_MORE_BASE64 if long else ""), before) for before, core in _base64(text.encode()))
    if long:
        yield Form(_literal(secret))
    for form in found:
        yield Form(f"(?i:{form.anchor})", form.before) if len(secret) >= _UNMISTAKABLE else form


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
    addresses = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    encoded = {b64encode(secret.encode()).decode(), urlsafe_b64encode(secret.encode()).decode()}
    return (addresses | {_lower(form) for form in addresses} | encoded) - {secret}


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
    def __init__(self, forms: list[Form]) -> None:
        whole = "|".join(form.before + form.anchor for form in forms)
        self._regexp = compiled(whole, groups=False) if forms else None

    def find(self, data: bytes) -> Iterator[Span]:
        return iter(()) if self._regexp is None else found(self._regexp, KIND, data)

"""A rule takes out values by their form. Here is what a rule is, and those that belong to no vendor.

Each rule has a short *anchor* that every match holds, so that one quick pass can say where to look at all, and a
pattern with exactly one group, which is what is taken out. Patterns are RE2's: they run in linear time on any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from knowgate.guard.redact import values


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str
    anchor: str
    pattern: str
    check: Callable[[str], bool] | None = values.varied


def _armoured(value: str) -> bool:
    """Long enough to be nothing else, or a line that begins as every encoded key does, as short ones for tests do."""
    body = value.split("-----")[2]
    return sum(character.isalnum() for character in body) >= 40 or _KEY_LINE.search(body) is not None


def _given(value: str) -> bool:
    return not values.placeholder(value)


def _opaque(value: str) -> bool:
    return values.opaque(value, 16)


_KEY_LINE = re.compile(r"(?:^|\s|\\[nr])(?:M[A-I][\w+/]{2}|b3BlbnNzaC1rZXk)")
"""DER begins with a sequence, OpenSSH's own form with its name."""
_BEGIN = r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BODY = r"[\sA-Za-z0-9+/=\\:,.-]"

FORMS = (
    Rule(
        "PRIVATE_KEY",
        "PRIVATE KEY",
        rf"({_BEGIN}(?:{_BODY}*?-----END[A-Z0-9 ]{{0,40}}-----|{_BODY}{{16,}}))",
        _armoured,
    ),
    Rule("JWT", "eyJ", r"\b(eyJ[\w-]{10,}={0,2}\.[\w-]{4,}={0,2}(?:\.[\w-]*){0,3})", values.is_jwt),
    Rule(
        "PASSWORD",
        r'://[^\s/"@:]*:[^\s/"]*@',
        r"[A-Za-z][\w+.-]{1,20}://[^\s:/@\"'<>]{0,80}:([^\s@/\"'<>]+)@[\w\[]",
        _given,
    ),
    Rule("PASSWORD", "curl", r"\bcurl\b(?:[^\n\\]|\\[\s\S])*?\s(?:-u|--user)[ =]+([^\s]+)", values.is_login),
    Rule("TOKEN", r"(?i:bearer)[\s+%]", r"\b(?i:bearer)(?:\s+|%20|\+)([\w.~+/=-]{16,})", _opaque),
    Rule(
        "CARD",
        "(?:[0-9]{4}[ -]){3}|[0-9]{13}",
        r"(?:^|[^\w.-])((?:[0-9]{4}[ -]){3}[0-9]{1,7}|[0-9]{13,19})(?:[^\w-]|$)",
        values.is_card,
    ),
    Rule("CARD", "3[0-9]{3}[ -][0-9]{6}", r"\b(3[0-9]{3}[ -][0-9]{6}[ -][0-9]{4,5})\b", values.is_card),
    Rule(
        "IBAN",
        "[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2}",
        r"\b([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b",
        values.is_iban,
    ),
    Rule("SSN", "[0-9]-[0-9]{2}-[0-9]{4}", r"(?:^|[^\w-])([0-9]{3}-[0-9]{2}-[0-9]{4})(?:[^\w-]|$)", values.is_ssn),
)


PERSONAL = (
    Rule(
        "EMAIL",
        "@[A-Za-z0-9]",
        r"\b([\w.+%-]{1,64}@[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24})\b",
        None,
    ),
    Rule(
        "IP",
        r"[0-9]\.[0-9]{1,3}\.[0-9]",
        r"(?:^|[^\w.])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?:[^\w.]|\.?$|\.\s)",
        values.is_public_address,
    ),
    Rule(
        "IP",
        "[0-9a-fA-F]:[0-9a-fA-F]{0,4}:",
        r"(?:^|[^\w:.])([0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7})(?:[^\w:.]|$)",
        values.is_public_address,
    ),
    Rule(
        "PHONE",
        "[0-9][0-9 ().x/-]{5}",
        r"(?:^|[^\w.+-])([+(]?[0-9][0-9 ()./-]{5,20}[0-9](?:x[0-9]{1,6})?)(?:[^\w-]|$)",
        values.is_phone,
    ),
    Rule(
        "NAME",
        "(?:M(?:rs?|s|iss)|Dr|Prof)[. ]",
        r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? ([A-Z][\w\x80-\xff]+(?:[ -][A-Z][\w\x80-\xff]+){0,2})",
        None,
    ),
)

"""Does this value look like a secret? Checks that need no pattern: shape, checksum, encoding."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import math
import re
from collections import Counter

import orjson

_UNFILLED = ("$", "%", "<", "{", "[", "(", "*", "`", "#", "…", "...", "\\$", "@{", "!{")
_UNFILLED_INSIDE = ("${", "{{", "$(", "...", "***")
_NOTHING = frozenset({"", "null", "none", "nil", "undefined", "true", "false", "string", "redacted", "changeme"})
_MASK = re.compile(r"([xX*#0])\1{11,}")
_ALPHABET = re.compile(r"abcdefghijkl|ABCDEFGHIJKL")
_WORDY = re.compile(r"(?:[A-Za-z]+|[0-9]{1,8})(?:[ ._/+\-]+(?:[A-Za-z]+|[0-9]{1,8}))*[.!?]?")
_SLUG = re.compile(r"(?:[A-Za-z]+[0-9]{0,3}|[0-9]{1,10})(?:[._/-](?:[A-Za-z]+[0-9]{0,3}|[0-9]{1,10}))+")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.,]+(?:Z|[+-][\d:]+)?)?")
_CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+(?:[\[(].*)?|[A-Za-z_]\w*[\[(].*", re.DOTALL)
_PLACE = re.compile(r"(?:[a-z][a-z0-9+.-]*:/)?\.{0,2}/|[A-Za-z]:\\", re.IGNORECASE)
_CARD = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|6[045]|35)\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[0689]\d{12}|(?:2131|1800)\d{11}"
    r"|(?:5[0678]|6[2379])\d{14}(?:\d{3})?"
)
_DIGIT = re.compile(r"\d")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"[0-9a-fA-F]+")
_BASE64 = re.compile(r"[\w+/-]+")
_HASH_LENGTH = 32
_ENCODED_LENGTH = 40
"""From here on an unbroken value is taken for encoded bytes, not for something a person made up."""


def placeholder(value: str) -> bool:
    """Left to be filled in, masked, or redacted before."""
    if value.lower() in _NOTHING or value.startswith(_UNFILLED) or any(mark in value for mark in _UNFILLED_INSIDE):
        return True
    return masked(value) or "[redacted" in value.lower()


def masked(value: str) -> bool:
    """`ghp_xxxxxxxxxxxx`, `AKIAXXXXXXXXXXXXXXXX`, `abcdefghijklmnop`."""
    bare = re.sub(r"[-_.]", "", value)
    most = max(bare.count(mark) for mark in "xX*#0")
    return (most > 5 and most * 2 > len(bare)) or filled_up(value) or value.endswith("EXAMPLE")


def filled_up(value: str) -> bool:
    """Holds a long run of a character that stands for others, or of the alphabet."""
    return bool(_MASK.search(re.sub(r"[-_.]", "", value)) or _ALPHABET.search(value))


def entropy(value: str) -> float:
    """Bits a character, in the part that tells."""
    part = value[:100]
    return -sum(n / len(part) * math.log2(n / len(part)) for n in Counter(part).values())


def varied(value: str) -> bool:
    """Not a placeholder and not a pattern typed by hand."""
    return not masked(value) and entropy(value) >= 3


def wordy(value: str) -> bool:
    """Words, a slug, a version or a number."""
    return _WORDY.fullmatch(value) is not None


def is_code(value: str) -> bool:
    """A reference, a call, a path or an address: `os.environ`, `read(path)`, `./keys`, `https://…`."""
    return bool(_CODE.fullmatch(value) or _PLACE.match(value))


def is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def opaque(value: str, least: int) -> bool:
    """A value of at least so many characters that a machine made: no words, no path, no code, no placeholder."""
    if len(value) < least or " " in value:
        return False
    if not _DIGIT.search(value):
        one_case = value.islower() or value.isupper()
        return len(value) >= 20 and value.isalpha() and one_case and len(set(value)) >= 8 and not masked(value)
    if value.isdigit() or wordy(value) or _SLUG.fullmatch(value) or _MOMENT.fullmatch(value) or is_code(value):
        return False
    return len(set(value)) >= 6 and entropy(value) >= 2.8 and encodable(value) and not placeholder(value)


def encodable(value: str) -> bool:
    """Long unbroken values are encoded bytes: hex is in one case, and base64 never one character over a group."""
    if len(value) >= _HASH_LENGTH and _HEX.fullmatch(value):
        return value in (value.lower(), value.upper())
    return len(value) < _ENCODED_LENGTH or len(value) % 4 != 1 or not _BASE64.fullmatch(value)


def is_card(value: str) -> bool:
    """A payment card number: first digits and length that belong together, and Luhn's sum."""
    digits = re.sub(r"\D", "", value)
    if not _CARD.fullmatch(digits) or len(set(digits)) < 3:
        return False
    doubled = [int(digit) * 2 - 9 * (digit > "4") for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def is_iban(value: str) -> bool:
    """ISO 13616: moved by four and read as a number it leaves 1 over 97."""
    bare = value.replace(" ", "").upper()
    if not 15 <= len(bare) <= 34:
        return False
    return int("".join(str(int(character, 36)) for character in bare[4:] + bare[:4])) % 97 == 1


def is_ssn(value: str) -> bool:
    area, group, serial = value.split("-")
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def is_jwt(value: str) -> bool:
    """The first part decodes to a JOSE header."""
    header = value.split(".", 1)[0].rstrip("=")
    try:
        decoded = orjson.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    except (binascii.Error, ValueError):
        return False
    return isinstance(decoded, dict) and ("alg" in decoded or "typ" in decoded)


def is_basic(value: str) -> bool:
    """Base64 of `user:password`."""
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


def is_login(value: str) -> bool:
    """What follows `curl -u`: a user and a password of which one is no placeholder."""
    user, colon, password = re.sub(r"[\"'\\]", "", value).partition(":")
    given = (password or user).strip("{}") if colon and user[:1] != "<" else ""
    jumbled = len(given) >= 12 and re.search(r"[A-Z]{2}", given) and not (given.isupper() or re.search("[_-]", given))
    return len(given) >= 6 and not placeholder(given) and (bool(jumbled) or not wordy(given))


def is_public_address(value: str) -> bool:
    """An address that somebody on the internet can be told by."""
    try:
        return ipaddress.ip_address(value).is_global
    except ValueError:
        return False


def is_phone(value: str) -> bool:
    """Enough digits, and written as people write numbers to be called."""
    digits = sum(character.isdigit() for character in re.split("[xX]", value)[0])
    spread = value.startswith(("+", "(", "00")) or len(re.findall(r"\d[ .()/-]+\d", value)) >= 2
    dated = re.match(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}\b", value)
    return 7 <= digits <= 15 and spread and not dated

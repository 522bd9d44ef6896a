"""Does this name say that its value is secret?

The last words decide, as in the language: `token_count` is a count, `max_tokens` a limit, `client_secret` a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_TRAILING = frozenset(
    "value string text plain plaintext raw data hash hashed digest pem base base64 b encoded binary header env old new "
    "current confirm confirmation again".split()
)
"""Words that may follow without changing what the thing is: `password_hash`, `secretString`."""
_PUBLIC = frozenset({"public", "publishable", "pub", "csrf", "xsrf"})

_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "passwort", "pwd")
_SECRETS = ("secret", "jwt")
_KEYS = tuple(
    f"{what}key"
    for what in "api secret access auth account encryption signing master shared subscription storage session apps "
    "functions client license webhook hmac aes".split()
)
_PRIVATE_KEYS = ("privatekey", "privkey")
_TOKENS = tuple(
    f"{what}token"
    for what in "access auth refresh bearer id session api security secret user personal bot oauth reset device "
    "service authorization deploy registration verification".split()
)
_CARDS = ("cardnumber", "cvv", "cvc", "cvv2")
_PLAIN_TOKENS = frozenset(
    "next page continuation continue sync cancel cancellation stop pad eos bos unk mask sep cls cursor pagination "
    "resume start end previous prev last first word per change".split()
)
_PLAIN_KEYS = frozenset(
    "cache primary foreign partition sort object idempotency index row map lookup group bucket schema sequence file "
    "translation i18n locale message event routing dedup unique composite natural hash config dict answer legend arrow "
    "foreach enter escape shift control registry field column data issue project label".split()
)
_PERSONAL = {
    "EMAIL": ("email", "emailaddress", "mail"),
    "PHONE": ("phone", "phonenumber", "mobile", "mobilenumber", "telephone", "fax"),
    "NAME": ("firstname", "lastname", "fullname", "surname", "givenname", "familyname", "middlename", "maidenname"),
    "ADDRESS": ("street", "streetaddress", "postaladdress", "homeaddress", "addressline1", "addressline2"),
    "BIRTH": ("birthdate", "dateofbirth", "birthday", "dob"),
    "ID": ("ssn", "socialsecuritynumber", "passportnumber", "taxid", "nationalid", "driverslicense"),
    "IP": ("ipaddress", "clientip", "remoteip"),
}
_ANCHOR = (
    r"(?i:pass.?(?:w|phrase|code)|pwd|secret|token|authori[sz]|cookie|credential|jwt|cvv|cvc|card.?number|"
    rf"(?:{'|'.join(what[:-3] for what in (*_KEYS, *_PRIVATE_KEYS))})[^a-z0-9\"]?key|"
    r"[^\"]key(?:[_.\w -]{0,20}\\?[\"'`]|\s{0,4}[=:>])|-key\s|"
    r"\bauth(?:[^a-z]|$)|[^a-z\" ](?:auth|pass|pw)(?:[^a-z]|$)|"
    rf"[ ](?:pass|pw)(?:[ ](?:{'|'.join(sorted(_TRAILING))}|[0-9]+))*\\?[\"'=:])|"
    r"\b[Aa]uth[A-Z]|[a-z](?:Auth|Pass|Pw)(?:[^a-z]|$)"
)

WEAK = 24
"""So long a value has to be where a name says little: `ibm_key` may be a secret, `incident_key` is none."""


def spread(squashed: str) -> str:
    """A pattern for the name in any spelling: `api_key`, `apiKey`, `API-KEY`."""
    return '[^a-z0-9"]?'.join(squashed)


@dataclass(frozen=True, slots=True)
class Named:
    """What a name promises."""

    kind: str
    sure: bool = True
    """The name is enough; otherwise the value has to look like a secret, too."""
    least: int = 10
    """How long an opaque value has to be where the name is not enough."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names that count as secret here."""

    own: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    personal: bool = False
    built_in: bool = True

    @classmethod
    def of(cls, own: Iterable[str], allowed: Iterable[str], personal: bool, built_in: bool = True) -> Names:
        return cls(frozenset(map(squash, own)), frozenset(map(squash, allowed)), personal, built_in)

    def anchors(self) -> list[str]:
        """What every name that may be judged secret holds."""
        more = [*sorted(self.own), *(name for names in _PERSONAL.values() for name in names if self.personal)]
        return [*([_ANCHOR] if self.built_in else []), *(f"(?i:{spread(name)})" for name in more)]

    def judge(self, name: str) -> Named | None:
        return _judge(name, self)

    def allows(self, name: str) -> bool:
        return bool(self.allowed) and squash(name) in self.allowed


def squash(name: str) -> str:
    return "".join(_words(name))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


@lru_cache(maxsize=4096)
def _judge(name: str, names: Names) -> Named | None:
    words = _words(name)
    whole = "".join(words)
    if not words or whole in names.allowed:
        return None
    own = names.own.intersection(_endings(words))
    if own:
        return Named(max(own, key=len).upper())
    while len(words) > 1 and (words[-1] in _TRAILING or words[-1].isdigit()):
        words.pop()
    found = _built_in(words) if names.built_in else None
    return found or (_personal(_endings(words)) if names.personal else None)


def _endings(words: list[str]) -> set[str]:
    return {"".join(words[start:]) for start in range(len(words))}


def _built_in(words: list[str]) -> Named | None:
    whole, last, before = "".join(words), words[-1], words[-2] if len(words) > 1 else ""
    if not _PUBLIC.isdisjoint(words):
        return None
    if whole.endswith(_PASSWORDS) or (last in ("pass", "pw") and before):
        return Named("PASSWORD")
    if whole.endswith((*_KEYS, *_PRIVATE_KEYS)):
        return Named("KEY")
    if whole.endswith(_SECRETS):
        return Named("SECRET")
    if whole.endswith(_CARDS):
        return Named("CARD")
    if last == "token" and before in _PLAIN_TOKENS:
        return None
    if whole.endswith(_TOKENS):
        return Named("TOKEN")
    if last == "token":
        return Named("TOKEN", sure=False)
    if last == "authorization" or whole == "authorisation":
        return Named("AUTHORIZATION", sure=False, least=8)
    if last == "cookie":
        return Named("COOKIE", sure=False)
    if last == "tokens" and before and f"{before}token" not in _TOKENS:
        return None
    if last in ("credential", "credentials", "auth", "secrets", "passwords", "tokens"):
        return Named("SECRET", sure=False, least=16)
    if last == "key" and before and before not in _PLAIN_KEYS:
        return Named("KEY", sure=False, least=WEAK)
    return None


def _personal(endings: set[str]) -> Named | None:
    return next((Named(kind) for kind, known in _PERSONAL.items() if not endings.isdisjoint(known)), None)

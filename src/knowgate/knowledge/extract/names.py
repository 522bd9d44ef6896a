"""When two names are one: the key they share."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_BETWEEN = re.compile(r"[^\w+#]|_")
_SUFFIX = re.compile(r"(?<=..)(?:micro)?(?:services?|svc)$")
_TEAMS = frozenset("team squad guild crew".split())
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=1 << 14)
def key(name: str) -> str:
    """Blind to case, plural, hyphens, underscores, spaces, a "service" at the end and the words for a team; never
    empty for a real name."""
    while (shorter := _step(name)) != name:
        name = shorter
    return name


def parts(name: str) -> list[str]:
    """The words of a name, lower case: of PaymentGateway, payment-gateway and payment_gateway alike."""
    return [part.lower() for part in _PART.findall(name)]


def _step(name: str) -> str:
    folded = name.lower() if name.isascii() else unicodedata.normalize("NFKC", name.casefold())
    words = folded.replace("_", " ").replace("-", " ").split()
    if len(words) > 1 and (words[-1] in _TEAMS or words[0] == "squad"):
        folded = " ".join(("team", *(words[:-1] if words[-1] in _TEAMS else words[1:])))
    joined = _BETWEEN.sub("", folded) or folded.strip()
    return _SUFFIX.sub("", _singular(joined))


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes")) else word[:-1]

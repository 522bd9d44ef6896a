"""Patterns with `*`, `?` and `[a-z]`, compiled so that no text can make them slow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowgate.guard.policy.sure import Sure

_TOKEN = re.compile(r"(\*+)|(\?)|\[(!?)(\]?[^\]]*)\]|(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Glob:
    text: str
    exact: re.Pattern[str]
    loose: re.Pattern[str]
    """Whatever the case of letters; a star crosses every slash."""
    literal: str
    """Its longest plain stretch in lower case: a text without it need not be tried."""


class Texts:
    """Spellings of one thing: those that it has for sure, and others that it might be taken for."""

    __slots__ = ("exact", "loose", "lower")

    def __init__(self, exact: Sequence[str], loose: Sequence[str] = ()) -> None:
        self.exact = tuple(exact)
        self.loose = tuple(loose)
        self.lower = "\n".join((*exact, *loose)).lower()
        """All of them: a look into this one text is cheap."""


class Globs:
    """Any of several patterns."""

    def __init__(self, patterns: Sequence[str], *, urls: bool = False) -> None:
        self._everything = "*" in patterns
        self.globs = tuple(_compiled(pattern, urls) for pattern in patterns)

    def match(self, *texts: str) -> Sure:
        """Whether one of the texts fits; None when it only does with another case of letters."""
        return self.match_any(Texts(texts))

    def match_any(self, texts: Texts) -> Sure:
        """Whether one of the exact texts fits; None when another one or another case would."""
        if self._everything:
            return True
        unsure = False
        for glob in self.globs:
            if glob.literal in texts.lower:
                if any(map(glob.exact.fullmatch, texts.exact)):
                    return True
                unsure = unsure or any(map(glob.loose.fullmatch, (*texts.exact, *texts.loose)))
        return None if unsure else False

    def every(self, texts: Sequence[str]) -> Sure:
        """All of the texts, some of them (None), or none."""
        found = [self.match(text) for text in texts]
        if all(found):
            return bool(found)
        return False if all(one is False for one in found) else None


def _compiled(pattern: str, urls: bool) -> Glob:
    # A host must not be found in a path: only a segment that is nothing but a star means "whatever comes before".
    scheme, _, rest = pattern.rpartition("://")
    first, slash, _ = rest.partition("/")
    host_end = len(pattern) - len(rest) + len(first) if urls and slash and first.strip("*") else 0
    host_start = len(scheme) + 3 if scheme else 0
    literals = [token[5] or "\0" for token in _TOKEN.finditer(pattern)]
    return Glob(
        pattern,
        re.compile(_regex(pattern, host_start, host_end), re.DOTALL),
        re.compile(_regex(pattern, 0, 0), re.DOTALL | re.IGNORECASE),
        max("".join(literals).lower().split("\0"), key=len),
    )


def _regex(pattern: str, host_start: int, host_end: int) -> str:
    """Each star takes the nearest place where what follows it fits, and never looks back: that is enough for a glob,
    and time stays linear."""
    parts: list[str] = [""]
    stars: list[str] = []
    for token in _TOKEN.finditer(pattern):
        star, one, negated, members, plain = token.groups()
        if star:
            stars.append("[^/]*" if host_start <= token.start() < host_end else ".*")
            parts.append("")
        elif one:
            parts[-1] += "."
        elif members is not None:
            parts[-1] += f"[{'^' if negated else ''}{_members(members)}]" if members else re.escape(token[0])
        else:
            parts[-1] += re.escape(plain)
    if not stars:
        return parts[0]
    middle = "".join(f"(?>{star}?{part})" for star, part in zip(stars, parts[1:-1], strict=False))
    return f"{parts[0]}{middle}{stars[-1]}{parts[-1]}"


def _members(text: str) -> str:
    return re.sub(r"[\\^\[\]&~|]|-(?=-)|(?<=-)-", lambda found: "\\" + found[0], text)

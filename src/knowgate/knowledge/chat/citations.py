"""Numbers such as [2] in a model's answer: kept where a source has that number, dropped where none has.

Code has such numbers of its own, as in `args[0]`: what stands between backticks is left alone, and directly behind a
word nothing is dropped.
"""

from __future__ import annotations

import re

_LONGEST = 60
_STEP = re.compile(rf"(?P<ticks>`+)|(?P<line>\n)| ?\[(?P<numbers>[0-9,; ]{{1,{_LONGEST}}})\]")
_BEGUN = re.compile(rf" ?(?:\[[0-9,; ]{{0,{_LONGEST}}})?$")
_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"\w")
_FENCE = 3


class Citations:
    """A filter over an answer that comes in pieces. However it is cut, what comes out is the same."""

    def __init__(self, sources: int) -> None:
        self._sources = sources
        self._held = ""
        self._cited: set[int] = set()
        self._last = ""
        self._ticks = 0
        """Backticks at the end of what was shown, to which more may come."""
        self._code = 0
        """By how many backticks the code was opened that we are in."""

    @property
    def cited(self) -> tuple[int, ...]:
        return tuple(sorted(self._cited))

    def feed(self, delta: str) -> str:
        """What can be shown now. The beginning of a citation waits for its end, and is never seen without it."""
        text = self._held + delta
        begun = _BEGUN.search(text, max(0, len(text) - _LONGEST - 2))
        safe = begun.start() if begun else len(text)
        self._held = text[safe:]
        piece = "`" * self._ticks + text[:safe]
        shown = _STEP.sub(self._checked, piece)[self._ticks :]
        self._ticks = len(piece) - len(piece.rstrip("`"))
        self._last = piece[-1:] or self._last
        return shown

    def _checked(self, match: re.Match[str]) -> str:
        if not match["numbers"]:
            self._step(match)
            return match[0]
        numbers = [int(number) for number in _NUMBER.findall(match["numbers"])]
        if not numbers or self._code:
            return match[0]
        kept = [number for number in numbers if 1 <= number <= self._sources]
        self._cited.update(kept)
        before = match.string[match.start() - 1] if match.start() else self._last
        if match[0].startswith("[") and _WORD.match(before):
            return match[0]
        gap = " " if match[0].startswith(" ") else ""
        return f"{gap}[{', '.join(map(str, kept))}]" if kept else ""

    def _step(self, match: re.Match[str]) -> None:
        """Into code or out of it. Only a fence goes on in the next line."""
        ticks = len(match["ticks"] or "")
        if not ticks:
            self._code = self._code if self._code >= _FENCE else 0
        elif match.end() < len(match.string):
            self._code = ticks if not self._code else 0 if ticks == self._code else self._code

"""Numbers such as [2] in a model's answer: kept where a source has that number, dropped where none has."""

from __future__ import annotations

import re

_LONGEST = 60
_CITATION = re.compile(rf" ?\[([0-9,; ]{{1,{_LONGEST}}})\]")
_BEGUN = re.compile(rf" ?(?:\[[0-9,; ]{{0,{_LONGEST}}})?$")
_NUMBER = re.compile(r"[0-9]+")


class Citations:
    """A filter over an answer that comes in pieces. However it is cut, what comes out is the same."""

    def __init__(self, sources: int) -> None:
        self._sources = sources
        self._held = ""
        self._cited: set[int] = set()

    @property
    def cited(self) -> tuple[int, ...]:
        return tuple(sorted(self._cited))

    def feed(self, delta: str) -> str:
        """What can be shown now. The beginning of a citation waits for its end, and is never seen without it."""
        text = self._held + delta
        begun = _BEGUN.search(text, max(0, len(text) - _LONGEST - 2))
        safe = begun.start() if begun else len(text)
        self._held = text[safe:]
        return _CITATION.sub(self._checked, text[:safe])

    def _checked(self, match: re.Match[str]) -> str:
        numbers = [int(number) for number in _NUMBER.findall(match[1])]
        if not numbers:
            return match[0]
        kept = [number for number in numbers if 1 <= number <= self._sources]
        self._cited.update(kept)
        gap = " " if match[0].startswith(" ") else ""
        return f"{gap}[{', '.join(map(str, kept))}]" if kept else ""

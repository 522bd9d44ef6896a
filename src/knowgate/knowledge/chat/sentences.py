"""A passage as the units that can be quoted: sentences, items of lists, rows of tables, lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_LINE = re.compile(r"[^\n]+")
_STOP = re.compile(
    r"(?<![.!?…؟۔।॥։።])[.!?…؟۔।॥։።]++[\"'”’»)\]]*+(?:\[[^\]\n]{1,30}\])*+(?=\s)(?!\s+[a-zß-öø-ÿ])|[。！？｡]+[」』）”’]*"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[^\W\d_]|[A-Z]\.[A-Z]|Mr|Mrs|Ms|Dr|St|Prof|Gen|Col|Sen|Jr|Sr|vs|No|Nr|Fig|ca|bzw|Inc|Ltd|e\.g|i\.e|z\.B|d\.h)\.$"
)
_MARK = re.compile(r"\s*(?:[-*•·–+]|\d{1,3}[.)]|[a-z]\)|#{1,6}|>)\s")
_LABEL = re.compile(r"(?:[^\W\d_a-z][^\s:]+|[^\s:]*[._/][^\s:]*):(?:\s|$)")
_RULE = re.compile(r"[\s|:+=_*#-]*$")
_LAST = tuple(".!?…؟۔।॥։።。！？｡:;\"'”’»)]")
_WRAPPED, _SPACES = 50, 5
"""A line at least this long, in characters and in words, may go on in the next one; others were ended on purpose."""
_LONGEST_HEADING = 120
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """`text[start:end]`, and which units before it say what it is about: headings, a table's first row."""

    start: int
    end: int
    above: tuple[int, ...] = ()
    heading: bool = False


def units(text: str) -> list[Unit]:
    """In order, not overlapping, none blank."""
    found: list[Unit] = []
    heads: tuple[int, ...] = ()
    table: int | None = None
    for start, end in _lines(text):
        if text[start] == "|" == text[end - 1]:
            if not _RULE.fullmatch(text, start, end):
                found.append(Unit(start, end, heads if table is None else (*heads, table)))
            elif table is None and found:
                # Only a rule below it tells a table's first row from any other row.
                found[-1] = replace(found[-1], heading=True)
                table = len(found) - 1
            continue
        table = None
        if _is_heading(text, start, end):
            follows = bool(found) and found[-1].heading and len(heads) < _DEEPEST
            found.append(Unit(start, end, heading=True))
            heads = (*heads, len(found) - 1) if follows else (len(found) - 1,)
        elif not _RULE.fullmatch(text, start, end):
            found += [Unit(low, high, heads) for low, high in _sentences(text, start, end)]
    return found


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs and single lines: a line that was only wrapped is put together with the next one."""
    begin = last = 0
    for match in _LINE.finditer(text):
        start, end = _trimmed(text, match.start(), match.end())
        if start == end:
            continue
        if last and not _goes_on(text, begin, last, start, match.start()):
            yield begin, last
            begin = start
        elif not last:
            begin = start
        last = end
    if last:
        yield begin, last


def _goes_on(text: str, begin: int, last: int, start: int, line: int) -> bool:
    """Whether the line at `start` continues the one that ended at `last`."""
    if _blank_between(text, last, line) or _MARK.match(text, line) or _LABEL.match(text, start) or text[start] == "|":
        return False
    previous = text[max(begin, text.rfind("\n", 0, last) + 1) : last]
    prose = len(previous) >= _WRAPPED and previous.count(" ") >= _SPACES
    return prose and not (previous[-1] in _LAST and text[start].isupper())


def _is_heading(text: str, start: int, end: int) -> bool:
    """A short line between blank ones that does not end like a sentence; or a question, as in lists of them."""
    if text[start] == "#":
        return True
    if end - start > _LONGEST_HEADING or "\n" in text[start:end] or not text[end:].strip():
        return False
    below = _blank_between(text, end, _trimmed(text, end, len(text))[0])
    above = not text[:start].strip() or _blank_between(text, _trimmed(text, 0, start)[1], start)
    return below and above and (text[end - 1] == "?" or not (text[end - 1] in _LAST or _MARK.match(text, start)))


def _blank_between(text: str, end: int, start: int) -> bool:
    return text.count("\n", end, start) > 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    low = start
    for match in _STOP.finditer(text, start, end):
        if match.group() == "." and _ABBREVIATION.search(text, max(low, match.end() - 8), match.end()):
            continue
        # The mark of a list item, `1.`, is no sentence.
        if match.end() - low <= 4 and not any(letter.isalpha() for letter in text[low : match.end()]):
            continue
        yield low, match.end()
        low = _trimmed(text, match.end(), end)[0]
    if low < end:
        yield low, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

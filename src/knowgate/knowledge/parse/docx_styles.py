"""Word's styles and numbering: which paragraphs are headings, and what stands before a list item."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from knowgate.knowledge.parse.xml import Element, attribute, child, children, descend, number

_HEADING_NAME = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|título|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|заголовок|"
    r"επικεφαλίδα|başlık|見出し|标题|標題|제목)\s*([1-9])",
    re.I,
)
_CODE_NAME = re.compile(r"\b(?:code|source|preformatted|listing)\b|sourcecode|codeblock", re.I)


@dataclass(frozen=True, slots=True)
class Style:
    level: int = 0
    """1 to 6 for a heading."""
    code: bool = False
    numbering: tuple[str, int] | None = None
    """List id and indentation level."""


def read_styles(root: Element | None) -> dict[str, Style]:
    """Every paragraph style with what it inherits."""
    raw = {attribute(each, "styleId"): each for each in children(root, "style")}
    done: dict[str, Style] = {}

    def resolve(style_id: str, seen: frozenset[str]) -> Style:
        if style_id in done:
            return done[style_id]
        element = raw.get(style_id)
        if element is None or style_id in seen or len(seen) > 50:
            return Style()
        parent = resolve(_value(child(element, "basedOn")), seen | {style_id})
        name = _value(child(element, "name"))
        properties = child(element, "pPr")
        done[style_id] = Style(
            level=outline_level(properties, _level_of_name(name) or parent.level),
            code=parent.code or bool(_CODE_NAME.search(name)),
            numbering=list_place(properties, parent.numbering),
        )
        return done[style_id]

    for style_id in raw:
        resolve(style_id, frozenset())
    return done


def outline_level(properties: Element | None, default: int) -> int:
    """Word counts outline levels from 0; 9 says "not a heading"."""
    level = descend(properties, "outlineLvl")
    if level is None:
        return default
    value = number(attribute(level, "val"), 9)
    return min(value + 1, 6) if 0 <= value < 9 else 0


def list_place(properties: Element | None, default: tuple[str, int] | None) -> tuple[str, int] | None:
    place = descend(properties, "numPr")
    if place is None:
        return default
    list_id = _value(child(place, "numId")) or (default[0] if default else "")
    indent = child(place, "ilvl")
    level = number(_value(indent)) if indent is not None else (default[1] if default else 0)
    return (list_id, min(max(level, 0), 8)) if list_id and list_id != "0" else None


def _level_of_name(name: str) -> int:
    if name.strip().lower() == "title":
        return 1
    match = _HEADING_NAME.fullmatch(name.strip())
    return min(int(match[1]), 6) if match else 0


@dataclass(slots=True)
class _Level:
    format: str = "bullet"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class Numbering:
    """Counts list items the way Word does: lists made from the same template go on counting each other."""

    templates: dict[str, dict[int, _Level]] = field(default_factory=dict[str, dict[int, _Level]])
    lists: dict[str, str] = field(default_factory=dict[str, str])
    restarts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    _counts: dict[str, list[int | None]] = field(default_factory=dict[str, "list[int | None]"])

    @classmethod
    def read(cls, root: Element | None) -> Numbering:
        numbering = cls()
        for each in children(root, "abstractNum"):
            numbering.templates[attribute(each, "abstractNumId")] = _levels(each)
        for each in children(root, "num"):
            list_id = attribute(each, "numId")
            numbering.lists[list_id] = _value(child(each, "abstractNumId"))
            for change in children(each, "lvlOverride"):
                if (start := child(change, "startOverride")) is not None:
                    levels = numbering.restarts.setdefault(list_id, {})
                    levels[number(attribute(change, "ilvl"))] = number(_value(start), 1)
        return numbering

    def label(self, list_id: str, level: int) -> str:
        """What stands before the next item: `-` for a bullet, `2.1` for a number; counts it."""
        template = self.lists.get(list_id, "")
        levels = self.templates.get(template, {})
        counts = self._counts.setdefault(template, [None] * 9)
        restart = self.restarts.get(list_id, {}).pop(level, None)
        current = counts[level]
        start = levels.get(level, _Level()).start
        counts[level] = restart if restart is not None else start if current is None else current + 1
        counts[level + 1 :] = [None] * (8 - level)
        form = levels.get(level, _Level())
        if form.format == "bullet":
            return "-"
        if form.format == "none":
            return ""

        def shown(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            below = levels.get(index, _Level())
            count = counts[index]
            return count_text(below.start if count is None else count, below.format)

        return re.sub(r"%([1-9])", shown, form.text).strip()


def count_text(count: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 9)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        roman = ""
        for value, sign in zip(
            (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
            ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
            strict=True,
        ):
            roman += sign * (count // value)
            count %= value
        return roman.upper() if form == "upperRoman" else roman
    return f"{count:02d}" if form == "decimalZero" else str(count)


def _levels(template: Element) -> dict[int, _Level]:
    return {
        number(attribute(each, "ilvl")): _Level(
            _value(child(each, "numFmt")) or "decimal",
            _value(child(each, "lvlText")),
            number(_value(child(each, "start")), 1),
        )
        for each in children(template, "lvl")
    }


def _value(element: Element | None) -> str:
    return "" if element is None else attribute(element, "val")

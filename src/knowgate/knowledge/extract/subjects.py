"""What a document or a part of it is about: by its path, and by its headings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowgate.knowledge.extract.kinds import COMPONENTS, is_technology, kind_of
from knowgate.knowledge.extract.names import parts
from knowgate.knowledge.extract.words import COMMON, INSTRUCTIONS, LABELS, NOUNS

_SEPARATOR = re.compile(r"[/\\]|__")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,10}$")
_PLACES = frozenset(
    """
src main resources docs doc documentation test tests java python go config configs conf kubernetes k8s manifests helm
chart charts deploy deployment docker build target app apps services microservices packages modules components public
static assets images scripts tools lib libs shared common webapp
""".split()
)
_ABOUT_FOLDER = frozenset(
    {"readme", "index", "overview", "application", "bootstrap", "dockerfile", "config", "settings", "values"}
)
_LONGEST, _LONGEST_NAME = 200, 4
_NOT_AT_END = ("s", "stream", "topic", "exchange", "cache")
"""Plurals speak of many things, and a section on a cache or a stream is rarely about a part called so."""
_OWNED = re.compile(r"\W*(?:Owned by|Owners?:|Maintained by|Depends on:|Team:)", re.I)
_NO_DEED = frozenset("is was has does as".split())
_NUMBER = re.compile(r"(?:\d+[.)])*\d*\s+")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]*>|[`*#]+")


@dataclass(frozen=True, slots=True)
class Place:
    """What a document's path tells."""

    folder: str
    """The part of a system whose folder it lies in; may be empty."""
    stem: str
    shared: bool
    """Lies below the folder where a service keeps its own settings: those it hands out to others."""


def place_of(name: str) -> Place:
    steps = [step for step in _SEPARATOR.split(name) if step not in ("", ".", "..")]
    stem = _ENDING.sub("", steps[-1]) if steps else ""
    folders = steps[:-1]
    folder = ""
    if "src" in folders:
        at = folders.index("src")
        folder = folders[at - 1] if at else next((each for each in folders[1:] if each not in _PLACES), "")
    if not folder:
        folder = next((each for each in reversed(folders) if each.lower() not in _PLACES), "")
    below = folders[folders.index("resources") + 1 :] if "resources" in folders else []
    return Place(folder, stem, bool(below))


def is_about_folder(place: Place) -> bool:
    return place.stem.lower().split("-")[0].split(".")[0] in _ABOUT_FOLDER


def heading_text(heading: str) -> str:
    plain = " ".join(_MARKUP.sub(lambda match: match[1] or "", heading[:_LONGEST]).split()).strip(" :.-")
    return _NUMBER.sub("", plain, count=1) if plain[:1].isdigit() else plain


def names_component(heading: str) -> bool:
    """Order service names a part of a system; Services and Running the application do not."""
    words = heading.split()
    if not 1 <= len(words) <= 4 or (len(words) == 1 and len(parts(heading)) < 2 and not heading.islower()):
        return False
    if any(word.lower() in COMMON and word.lower() not in NOUNS for word in words) or words[0].lower() in INSTRUCTIONS:
        return False
    return kind_of(heading) in COMPONENTS and not heading.lower().endswith(_NOT_AT_END)


def introduces(heading: str, below: str) -> bool:
    """A proper name that the text below it goes on to speak of: "Dispatch assigns …", "Owned by …", "It reads …"."""
    words = heading.split()
    proper = 1 <= len(words) <= _LONGEST_NAME and all(word[0].isupper() for word in words)
    if not proper or not {word.lower() for word in words}.isdisjoint((COMMON - NOUNS) | LABELS | INSTRUCTIONS):
        return False
    if is_technology(heading) or kind_of(heading) == "team":
        return False
    named = re.match(rf"(?:The )?{re.escape(heading)}(?: \([^()]*\))? ([a-z]+s)\b", below)
    return bool(_OWNED.match(below)) or (named is not None and named[1] not in _NO_DEED)

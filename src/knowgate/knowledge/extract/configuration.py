"""Configuration files: whose settings they are, and what they say of it."""

from __future__ import annotations

from collections.abc import Sequence

from knowgate.knowledge.extract.catalogues import read_catalogue
from knowgate.knowledge.extract.containers import read_containers
from knowgate.knowledge.extract.draft import DECLARED, NAMED, Draft
from knowgate.knowledge.extract.entries import Entry, plain
from knowgate.knowledge.extract.kinds import COMPONENTS, Kind, kind_of
from knowgate.knowledge.extract.settings import own_name, read_settings
from knowgate.knowledge.extract.subjects import Place, is_about_folder


def read_configuration(draft: Draft, text: str, entries: Sequence[Entry], place: Place) -> bool:
    """Whether the file configures parts of a system."""
    if read_catalogue(draft, text, entries) or read_containers(draft, text, entries):
        return True
    own = own_name(entries)
    if own:
        name = _declare(draft, text, own, DECLARED)
        draft.alias(name, place.folder)
        read_settings(draft, text, entries, name, confidence=DECLARED)
        return True
    owner, inherited = _owner(place)
    if not owner or not read_settings(draft, text, entries, owner, confidence=DECLARED, inherited=inherited):
        return False
    draft.name(owner, _kind(owner), 0, 0, NAMED)
    return True


def read_example(draft: Draft, text: str, entries: Sequence[Entry], subject: str) -> None:
    """Settings that a text shows, of the part it speaks of unless they say of whom."""
    if not read_catalogue(draft, text, entries) and not read_containers(draft, text, entries):
        own = own_name(entries)
        owner = _declare(draft, text, own, NAMED) if own else subject
        if owner:
            read_settings(draft, text, entries, owner, confidence=NAMED)


def _declare(draft: Draft, text: str, own: Entry, confidence: float) -> str:
    name = plain(own.value)
    draft.name_within(name, _kind(name), text, own.start, own.end, confidence)
    return name


def _kind(name: str) -> Kind:
    kind = kind_of(name)
    return kind if kind in COMPONENTS else "service"


def _owner(place: Place) -> tuple[str, bool]:
    """Whose settings a file has that does not say: the folder's, its clients', or those of whom it is named after."""
    if is_about_folder(place):
        return place.folder, place.shared
    named_after = place.shared or kind_of(place.stem) in COMPONENTS
    return (place.stem if named_after else place.folder), False

"""What extraction gives: names, relations and aliases, each with the passage that says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """The first place in a passage where it names something."""

    name: str
    type: str
    chunk: int
    """The passage's ordinal."""
    start: int
    end: int
    """The passage's `text[start:end]`; empty when only the file's path names it."""
    confidence: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    source: str
    target: str
    type: str
    chunk: int
    confidence: float
    """At least 0.5: stated or declared. Below: read between the lines. Below 0.2: merely named together."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Alias:
    """Two names for one thing, such as a container and the folder it is built from."""

    name: str
    other: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one document says, and nothing that it does not."""

    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    aliases: tuple[Alias, ...] = ()
    inherited: tuple[Relation, ...] = ()
    """What holds for everything that uses the source, such as the settings a configuration server hands out."""

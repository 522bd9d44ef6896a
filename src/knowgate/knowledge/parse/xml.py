"""Reading XML that nobody vouches for: no DTD, no entities, no network, and a type for what lxml hands back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from lxml import etree as untyped_etree  # pyright: ignore

from knowgate.knowledge.parse.archive import corrupt

etree = cast("Any", untyped_etree)

MOST_ATTRIBUTES = 1_000
"""Listing them takes quadratic time, and no honest element has more."""


class Element(Protocol):
    """The part of lxml's element that the readers use (lxml itself carries no types)."""

    @property
    def tag(self) -> object: ...
    @property
    def text(self) -> str | None: ...
    @property
    def attrib(self) -> Mapping[str, str]: ...
    @property
    def tail(self) -> str | None: ...
    def get(self, key: str, default: str) -> str: ...
    def __iter__(self) -> Iterator[Element]: ...
    def __len__(self) -> int: ...
    def iter(self, *tags: str) -> Iterator[Element]: ...
    def iterancestors(self, *tags: str) -> Iterator[Element]: ...
    def itertext(self, *tags: str) -> Iterator[str]: ...
    def find(self, path: str) -> Element | None: ...
    def findall(self, path: str) -> list[Element]: ...
    def getparent(self) -> Element | None: ...


def parse_xml(data: bytes, kind: str) -> Element:
    """The root element; a file that declares entities is refused, a slightly broken one is read as far as it goes."""
    # A document type is where entity bombs and external files are declared, and no office format needs one.
    if b"<!ENTITY" in data or b"<\0!\0E\0N\0T\0I\0T\0Y" in data:
        raise corrupt(kind)
    try:
        root = _root(data, recover=False)
    except etree.XMLSyntaxError:
        try:
            root = _root(data, recover=True)
        except etree.XMLSyntaxError as error:
            raise corrupt(kind) from error
    except ValueError as error:
        raise corrupt(kind) from error
    if root is None:
        raise corrupt(kind)
    return root


def local(element: Element) -> str:
    """The tag without its namespace; empty for comments and processing instructions.

    Going by local names reads the strict and the transitional form of the office formats alike.
    """
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """An attribute by local name, whatever its namespace."""
    value = element.get(name, "")
    if value or len(element.attrib) > MOST_ATTRIBUTES:
        return value
    return next((text for key, text in element.attrib.items() if key.endswith("}" + name)), "")


def number(text: str, default: int = 0) -> int:
    """A whole number out of an attribute; anything else is the default."""
    try:
        return int(text)
    except ValueError:
        return default


def children(element: Element | None, name: str = "") -> Iterator[Element]:
    """The elements right below, all or those of one name; none below nothing."""
    return (each for each in (() if element is None else element) if not name or local(each) == name)


def child(element: Element, name: str) -> Element | None:
    return next(children(element, name), None)


def descend(element: Element | None, *names: str) -> Element | None:
    for name in names:
        if element is None:
            return None
        element = child(element, name)
    return element


def inner_text(element: Element | None) -> str:
    return "" if element is None else "".join(element.itertext()).strip()


def _root(data: bytes, *, recover: bool) -> Element | None:
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )
    return cast("Element | None", etree.fromstring(data, parser))

"""Which part of a web page is its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, cast

from knowgate.knowledge.parse.xml import Element, etree, local

_SELF_CLOSED = re.compile(
    r"<(title|script|style|textarea|iframe|noscript|a|div|span|p|td|th|li|i|b|em)\b([^<>]*)/>", re.I
)
_NEVER = (
    "script style template noscript svg iframe object embed canvas video audio map select datalist input textarea "
    "button"
).split()
_GONE = "gone"
_MEASURED = frozenset(("nav", "header", "footer", "aside", "ul", "ol", "main", "article"))
_FRAME_ROLES = frozenset(("navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"))
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_CONSENT = re.compile(r"(?:^|[\s_-])(?:cookie|consent|gdpr|ccpa)(?:$|[\s_-])|cookie-?(?:banner|consent|notice)", re.I)


class Walk(Protocol):
    def __iter__(self) -> Iterator[tuple[str, Element]]: ...
    def skip_subtree(self) -> None: ...


def walk(root: Element) -> Walk:
    """Down and up the tree without recursion: pages can be nested deeper than Python's stack."""
    return cast("Walk", etree.iterwalk(root, events=("start", "end")))


def parse_html(html: str) -> Element | None:
    """The page's tree; None when it is empty or nested too deep to be one."""
    if "/>" in html:
        # To an HTML parser these open an element that swallows the rest of the page.
        html = _SELF_CLOSED.sub(r"<\1\2></\1>", html)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
    root = cast("Element | None", etree.fromstring(html.encode("utf-8", "replace"), parser))
    cut_off = any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)
    return None if cut_off else root


def content(root: Element) -> Element:
    """What is left without frame, hidden parts and scripts; the main part alone if that holds most of the text."""
    etree.strip_elements(root, *_NEVER, with_tail=False)
    body = next(root.iter("body"), root)
    parts = _measured(body)
    total = parts[-1].length
    for part in parts[:-1]:
        if part.length * 2 <= total and _is_frame(part):
            cast("Any", part.element).tag = _GONE
    etree.strip_elements(body, _GONE, with_tail=False)
    if not any(_is_main(part.element) for part in parts):
        return body
    *parts, whole = _measured(body)
    best = max((part for part in parts if _is_main(part.element)), key=lambda part: part.length, default=whole)
    return best.element if best.length * 2 > whole.length else body


@dataclass(slots=True)
class _Part:
    """An element that may be frame or content: how much text it holds, how much of that in links."""

    element: Element
    inside: bool
    """Whether it is in the main part."""
    in_header: bool
    length: int = 0
    links: int = 0
    titles: int = 0


def _measured(body: Element) -> list[_Part]:
    """The parts that matter, each after those in it, the whole body last. One pass: pages nest such parts by the
    hundred, and counting each anew would take forever."""
    found: list[_Part] = []
    open_parts: list[_Part] = []
    length = links = titles = mains = headers = in_links = 0
    for event, element in walk(body):
        tag = local(element)
        change = 1 if event == "start" else -1
        if event == "start":
            if element is body or tag in _MEASURED or _says_frame(element):
                open_parts.append(_Part(element, mains > 0, headers > 0, length, links, titles))
            said = len((element.text or "").strip())
            in_links += tag == "a"
            titles += tag == "h1"
        else:
            in_links -= tag == "a"
            said = 0
        mains += change * _is_main(element)
        headers += change * (tag == "header")
        length += said
        links += said if in_links else 0
        if event == "start":
            continue
        if open_parts[-1].element is element:
            part = open_parts.pop()
            part.length, part.links, part.titles = length - part.length, links - part.links, titles - part.titles
            found.append(part)
        if element is not body:
            said = len((element.tail or "").strip())
            length += said
            links += said if in_links else 0
    return found


def _is_main(element: Element) -> bool:
    return local(element) in ("main", "article") or element.get("role", "") == "main"


def _says_frame(element: Element) -> bool:
    """Hidden, or named as something around the content."""
    if not element.attrib:
        return False
    if element.get("hidden", "no") != "no" or element.get("aria-hidden", "") == "true":
        return True
    if element.get("role", "") in _FRAME_ROLES or _HIDDEN_STYLE.search(element.get("style", "")):
        return True
    named = f"{element.get('id', '')} {element.get('class', '')}"
    return local(element) not in ("html", "body", "a") and bool(_CONSENT.search(named))


def _is_frame(part: _Part) -> bool:
    tag = local(part.element)
    if tag == "nav" or _says_frame(part.element):
        return True
    mostly_links = part.links * 2 > part.length
    # Inside the content a header holds its title and an aside is a remark; elsewhere they belong to the site.
    if tag == "aside":
        return not part.inside or mostly_links
    if tag == "header":
        return not part.inside and not part.titles
    return tag == "footer" or (tag in ("ul", "ol") and part.in_header and mostly_links)

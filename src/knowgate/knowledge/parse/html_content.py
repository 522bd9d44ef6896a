"""Which part of a web page is its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
_FRAME = frozenset(("nav", "header", "footer", "aside"))
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
    total = _length(body)
    for element in _frame(body, total):
        cast("Any", element).tag = _GONE
    etree.strip_elements(body, _GONE, with_tail=False)
    total = _length(body)
    mains = [each for each in body.iter("main", "article", "div", "section") if _is_main(each)]
    best = max(mains, key=_length, default=body)
    return best if _length(best) * 2 > total else body


def _is_main(element: Element) -> bool:
    return local(element) in ("main", "article") or element.get("role", "") == "main"


def _frame(body: Element, total: int) -> list[Element]:
    found: list[Element] = []
    inside = 0
    steps = walk(body)
    for event, element in steps:
        main = _is_main(element)
        if event == "end":
            inside -= main
            continue
        inside += main
        if element is not body and _is_frame(element, inside) and _length(element) * 2 <= total:
            found.append(element)
            steps.skip_subtree()
    return found


def _is_frame(element: Element, inside: int) -> bool:
    tag = local(element)
    if element.get("hidden", "no") != "no" or element.get("aria-hidden", "") == "true":
        return True
    if _HIDDEN_STYLE.search(element.get("style", "")):
        return True
    if _CONSENT.search(f"{element.get('id', '')} {element.get('class', '')}") and tag not in ("html", "body", "a"):
        return True
    if tag == "nav" or element.get("role", "") in _FRAME_ROLES:
        return True
    if tag in ("ul", "ol"):
        return next(element.iterancestors("header"), None) is not None and _mostly_links(element)
    if tag in _FRAME:
        # Inside the content a header holds its title and an aside is a remark; elsewhere they belong to the site.
        if inside:
            return tag == "footer" or (tag == "aside" and _mostly_links(element))
        return tag != "header" or next(element.iter("h1"), None) is None
    return False


def _mostly_links(element: Element) -> bool:
    return sum(_length(link) for link in element.iter("a")) * 2 > _length(element)


def _length(element: Element) -> int:
    return sum(len(text.strip()) for text in element.itertext())

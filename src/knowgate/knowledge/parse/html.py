"""HTML: headings, paragraphs, lists, tables and code of a page's content."""

from __future__ import annotations

import html as entities
import re
from typing import Literal

from knowgate.knowledge.parse.about import fields_of
from knowgate.knowledge.parse.decode import decode, tidy
from knowgate.knowledge.parse.html_content import content, parse_html, walk
from knowgate.knowledge.parse.html_table import table_rows
from knowgate.knowledge.parse.kinds import MIME
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_texts
from knowgate.knowledge.parse.xml import Element, local
from knowgate.model import FieldValue, Parsed

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hgroup html legend li main menu nav ol p search section summary table tbody td tfoot th thead "
    "tr ul".split()
)
_LISTS = frozenset(("ul", "ol", "menu", "dl"))
_ITEMS = frozenset(("li", "dt", "dd"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0]+")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<!--.*?-->|<[^<>]*>", re.S | re.I)
_META = {
    "author": ("author", "article:author", "dc.creator", "dcterms.creator"),
    "date": ("article:published_time", "date", "dc.date", "dcterms.created", "pubdate", "datepublished"),
    "description": ("description", "og:description", "dc.description"),
    "keywords": ("keywords",),
    "site": ("og:site_name",),
}


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    builder = TextBuilder()
    title, fields = html_blocks(builder, decode(data))
    text, blocks = builder.build()
    return Parsed(text, blocks, "html", MIME["html"], title, fields)


def html_blocks(builder: TextBuilder, html: str, page: int | None = None) -> tuple[str, dict[str, FieldValue]]:
    """Adds a page's content to the builder; returns its title and what it says of itself."""
    root = parse_html(html)
    if root is None:
        builder.add("text", bare_text(html), page=page)
        return "", {}
    title, fields = _about(root)
    walker = _Walker(builder, page)
    walker.walk(content(root))
    return title or walker.first_heading, fields


def html_text(html: str) -> str:
    """The text alone, for a piece of HTML in another format."""
    builder = TextBuilder()
    html_blocks(builder, html)
    return builder.build()[0]


def bare_text(html: str) -> str:
    return tidy(entities.unescape(_TAG.sub(" ", html))).strip()


class _Walker:
    """Gathers inline text until a block ends. A list is one block: its items are lines."""

    def __init__(self, builder: TextBuilder, page: int | None) -> None:
        self.builder = builder
        self.page = page
        self.pieces: list[str] = []
        self.lists: list[tuple[str, int]] = []
        self.marker = ""
        self.first_heading = ""

    def walk(self, root: Element) -> None:
        steps = walk(root)
        for event, element in steps:
            tag = local(element)
            if event == "start":
                if self._start(element, tag):
                    self._say(element.text)
                else:
                    steps.skip_subtree()
                continue
            self._end(tag)
            if element is not root:
                self._say(element.tail)
        self._flush()

    def _start(self, element: Element, tag: str) -> bool:
        """Whether to go on below this element."""
        if tag in _HEADINGS:
            self._flush()
        elif tag == "pre":
            self._flush()
            self.builder.add("code", _source(element), page=self.page)
            return False
        elif tag == "table" and (rows := table_rows(element)):
            self._flush()
            for text in table_texts(rows):
                self.builder.add("table", text, page=self.page)
            return False
        elif tag == "br":
            self.pieces.append("\n")
        elif tag == "img":
            self._say(f" {element.get('alt', '')} ")
        elif tag in _LISTS:
            self._begin_list(tag)
        elif tag in _ITEMS and self.lists:
            self._begin_item(tag)
        elif tag in _BLOCKS:
            self._break()
        return tag != "head"

    def _end(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._flush("heading", _HEADINGS[tag])
        elif tag in _LISTS and self.lists:
            self.lists.pop()
            self._break()
        elif tag in _BLOCKS or tag == "hr":
            self._break()

    def _begin_list(self, tag: str) -> None:
        self._break()
        self.lists.append((tag, 0))

    def _begin_item(self, tag: str) -> None:
        kind, count = self.lists[-1]
        self.lists[-1] = (kind, count + 1)
        bullet = "" if tag == "dt" else "\t" if tag == "dd" else f"{count + 1}. " if kind == "ol" else "- "
        # Tabs stand for the indentation until the block is put together; text itself has none left.
        self.marker = "\n" + "\t" * min(len(self.lists) - 1, 8) + bullet

    def _break(self) -> None:
        if self.lists:
            self.pieces.append("\n")
        else:
            self._flush()

    def _say(self, text: str | None) -> None:
        if not text:
            return
        if self.marker and not text.isspace():
            self.pieces.append(self.marker)
            self.marker = ""
        self.pieces.append(_SPACE.sub(" ", text))

    def _flush(self, kind: Literal["text", "heading"] = "text", level: int = 0) -> None:
        said = _INVISIBLE.sub("", "".join(self.pieces))
        self.pieces.clear()
        lines = [" ".join(filter(None, line.split(" "))) for line in said.split("\n")]
        text = "\n".join(line for line in lines if line.strip("\t -"))
        if kind == "heading":
            text = " ".join(text.split())
            self.first_heading = self.first_heading or text
        self.builder.add(kind, text.replace("\t", "  "), level=level, page=self.page)


def _source(element: Element) -> str:
    """The text with its own line breaks."""
    pieces: list[str] = []
    for event, each in walk(element):
        if event == "start":
            pieces.append("\n" if local(each) == "br" else each.text or "")
        elif each is not element:
            pieces.append(each.tail or "")
    return "".join(pieces)


def _about(root: Element) -> tuple[str, dict[str, FieldValue]]:
    metas: dict[str, str] = {}
    for meta in root.iter("meta"):
        key = meta.get("name", "") or meta.get("property", "") or meta.get("itemprop", "")
        metas.setdefault(key.lower(), meta.get("content", ""))
    said = {field: next((metas[key] for key in keys if metas.get(key)), None) for field, keys in _META.items()}
    page = next(root.iter("html"), root)
    title = metas.get("og:title") or next(("".join(each.itertext()) for each in root.iter("title")), "")
    return " ".join(title.split()), fields_of(**said, language=page.get("lang", ""))

"""XML: documents as headings and paragraphs, data as values with their paths."""

from __future__ import annotations

import re

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.html import bare_text, html_text
from knowgate.knowledge.parse.html_content import walk
from knowgate.knowledge.parse.kinds import MIME
from knowgate.knowledge.parse.outline import add_outline
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.knowledge.parse.xml import MOST_ATTRIBUTES, Element, local, parse_xml
from knowgate.model import Parsed

_PROLOG = re.compile(r"\s*<\?xml[^>]*\?>")
_HALF_CHARACTER = re.compile(r"&#(?:x0*d[89a-f][0-9a-f]{2}|0*5[5-7]\d{3});", re.I)
"""Named by number, these pass the parser and fail only when the text is asked for."""
_TITLES = frozenset(("title", "subtitle", "head", "heading", "bridgehead", "article-title"))
_PARAGRAPHS = frozenset(("p", "para", "simpara", "v", "text-author"))
_HTML_INSIDE = re.compile(r"<(?:p|br|a|div|img|b|i|ul|li|span|strong|em|h[1-6])\b[^<>]*>", re.I)


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    text = decode(data)
    builder = TextBuilder()
    warnings: tuple[str, ...] = ()
    title = ""
    words = bare_text(text)
    try:
        source = _HALF_CHARACTER.sub("\ufffd", _PROLOG.sub("", text, count=1))
        root = parse_xml(source.encode("utf-8", "replace"), "XML")
    except DocumentError:
        root = None
    if root is None or 2 * _words(root) < len(words.split()):
        # Entities are never expanded and broken markup cannot be trusted, but the words are still there.
        builder.add("text", words)
        warnings = ("The markup is damaged or declares entities, so only the words were read.",)
    else:
        title = _title(root)
        if _is_document(root):
            _add_document(builder, root)
        else:
            add_outline(builder, {local(root): _value(root)}, options.max_expanded_bytes)
    whole, blocks = builder.build()
    return Parsed(whole, blocks, "xml", MIME["xml"], title, warnings=warnings)


def _words(root: Element) -> int:
    return sum(len(text.split()) for text in root.itertext())


def _title(root: Element) -> str:
    for element in root.iter():
        if local(element) in ("title", "book-title", "article-title") and (said := _inner(element)):
            return said[:200]
    return ""


def _is_document(root: Element) -> bool:
    """Whether most of the text stands in paragraphs."""
    total = sum(len(text.strip()) for text in root.itertext())
    running = 0
    steps = walk(root)
    for event, element in steps:
        if event == "start" and local(element) in _PARAGRAPHS:
            running += len(_inner(element))
            steps.skip_subtree()
    return running * 2 > total


def _add_document(builder: TextBuilder, root: Element) -> None:
    depth = 0
    steps = walk(root)
    for event, element in steps:
        if event == "end":
            depth -= 1
            continue
        depth += 1
        name = local(element)
        if name in _TITLES:
            builder.add("heading", _inner(element), level=min(max(depth - 2, 1), 6))
        elif name in _PARAGRAPHS or _has_words(element):
            builder.add("text", _inner(element))
        else:
            continue
        steps.skip_subtree()


def _has_words(element: Element) -> bool:
    return any((text or "").strip() for text in (element.text, *(below.tail for below in element)))


def _inner(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _value(element: Element) -> object:
    """Attributes and elements below by name, several of one name as a list; the parser allows 256 levels at most."""
    value: dict[str, object] = {}
    if len(element.attrib) <= MOST_ATTRIBUTES:
        value |= {key.rpartition("}")[2]: each for key, each in element.attrib.items()}
    for below in element:
        if not isinstance(below.tag, str):
            continue
        name = local(below)
        known = value.get(name)
        if known is None:
            value[name] = _value(below)
        elif isinstance(known, _Several):
            known.append(_value(below))
        else:
            value[name] = _Several((known, _value(below)))
    said = (element.text or "").strip() if not len(element) else _own_words(element)
    if _HTML_INSIDE.search(said):
        said = html_text(said)
    if not value:
        return said
    if said:
        value["text"] = said
    return value


def _own_words(element: Element) -> str:
    pieces = [element.text or "", *(below.tail or "" for below in element)]
    return " ".join(" ".join(pieces).split())


class _Several(list[object]):
    """Elements of one name."""

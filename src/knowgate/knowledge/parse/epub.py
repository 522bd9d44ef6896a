"""E-books: the chapters in the order of the spine, each read as the web page it is."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from knowgate.errors import DocumentError
from knowgate.knowledge.parse import html
from knowgate.knowledge.parse.about import fields_of, finished
from knowgate.knowledge.parse.archive import Archive, corrupt
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.knowledge.parse.xml import Element, attribute, children, descend, inner_text, local, parse_xml
from knowgate.model import FieldValue, Parsed

_META = {
    "title": "title",
    "creator": "author",
    "publisher": "publisher",
    "language": "language",
    "date": "created",
    "subject": "subject",
    "description": "description",
}
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    archive = Archive(data, "EPUB", options.max_expanded_bytes)
    _refuse_protected(archive)
    place = _package_place(archive)
    package = parse_xml(archive.read(place), "EPUB")
    fields = _fields(package)
    out = TextBuilder()
    missing = 0
    for chapter in _spine(package, posixpath.dirname(place)):
        data = archive.get(chapter) or b""
        missing += not data
        if data:
            _add_chapter(out, data, chapter, options)
    warnings = (f"{missing} chapters named in the book are not in the file.",) if missing else ()
    return finished(out, "epub", fields, warnings)


def _add_chapter(out: TextBuilder, data: bytes, name: str, options: ParseOptions) -> None:
    try:
        chapter = html.read(data, name, options)
    except DocumentError as error:
        # A cover page or a plate has no text; the book goes on.
        if error.code not in ("empty_document", "no_text", "corrupt_document"):
            raise
        return
    for block in chapter.blocks:
        out.add(block.kind, chapter.text[block.start : block.end], level=block.level)


def _refuse_protected(archive: Archive) -> None:
    """Fonts may be scrambled, that is no obstacle; a scrambled chapter is."""
    data = archive.get("META-INF/encryption.xml")
    if data is None:
        return
    for element in parse_xml(data, "EPUB").iter():
        if local(element) == "EncryptedData":
            method = next(
                (attribute(each, "Algorithm") for each in element.iter() if local(each) == "EncryptionMethod"), ""
            )
            if method not in _FONTS:
                raise DocumentError(
                    "encrypted_document",
                    "The e-book is copy-protected, so its text cannot be read.",
                    "Ingest a copy without copy protection.",
                )


def _package_place(archive: Archive) -> str:
    data = archive.get("META-INF/container.xml")
    if data:
        for element in parse_xml(data, "EPUB").iter():
            if local(element) == "rootfile" and (place := unquote(attribute(element, "full-path"))) in archive:
                return place
    place = next((each for each in archive.names if each.lower().endswith(".opf")), "")
    if not place:
        raise corrupt("EPUB")
    return place


def _spine(package: Element, folder: str) -> list[str]:
    manifest: dict[str, str] = {}
    for item in children(descend(package, "manifest"), "item"):
        if "html" in attribute(item, "media-type") or attribute(item, "href").endswith(("html", "htm")):
            place = posixpath.join(folder, unquote(attribute(item, "href")).partition("#")[0])
            # The table of contents only repeats the headings.
            if "nav" not in attribute(item, "properties").split():
                manifest[attribute(item, "id")] = posixpath.normpath(place)
    order = [attribute(each, "idref") for each in children(descend(package, "spine"), "itemref")]
    chapters = [manifest[each] for each in order if each in manifest]
    return chapters or list(manifest.values())


def _fields(package: Element) -> dict[str, FieldValue]:
    said: dict[str, list[str]] = {}
    for element in children(descend(package, "metadata")):
        if text := inner_text(element):
            said.setdefault(local(element), []).append(text)
    return fields_of(**{name: ", ".join(dict.fromkeys(said.get(key, ()))) for key, name in _META.items()})

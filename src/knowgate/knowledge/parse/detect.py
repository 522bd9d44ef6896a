"""What a file is, by its content; its name only decides among textual formats that look alike."""

from __future__ import annotations

import io
import re
import struct
import zlib
from typing import TYPE_CHECKING

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.decode import decode, is_text
from knowgate.knowledge.parse.kinds import MIME, Kind, ending, kind, named_language, named_type, promised

if TYPE_CHECKING:
    from zipfile import ZipFile

_HEAD = 65536
_BLANK = b"\xef\xbb\xbf\x00\t\n\f\r "
_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)
_ARCHIVES = (
    (0, b"\x1f\x8b", "gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (0, b"Rar!\x1a\x07", "RAR"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard"),
    (0, b"\x04\x22\x4d\x18", "LZ4"),
    (0, b"MSCF", "cabinet"),
    (257, b"ustar", "tar"),
)
_OTHERS = (
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"\xca\xfe\xba\xbe", "a program"),
    (0, b"\xcf\xfa\xed\xfe", "a program"),
    (0, b"\x00asm", "a program"),
    (0, b"SQLite format 3\x00", "a database"),
    (4, b"Standard Jet DB", "a database"),
    (4, b"Standard ACE DB", "a database"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"ID3", "a sound or video file"),
    (0, b"OggS", "a sound or video file"),
    (0, b"fLaC", "a sound or video file"),
    (0, b"RIFF", "a sound or video file"),
    (0, b"\x1aE\xdf\xa3", "a sound or video file"),
    (4, b"ftyp", "a sound, video or HEIC image file"),
    (0, b"wOF", "a font"),
    (0, b"OTTO", "a font"),
    (60, b"BOOKMOBI", "a Kindle book"),
    (60, b"TEXtREAd", "a Palm book"),
    (0, b"AT&TFORM", "a DjVu file"),
    (0, b"8BPS", "a Photoshop file"),
    (0, b"%!PS", "a PostScript file"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("msg", "__properties_version1.0"),
    ("doc", "WordDocument"),
    ("ppt", "PowerPoint Document"),
    ("xls", "Workbook"),
    ("xls", "Book"),
)
_OOXML_PARTS = (
    ("xlsb", "xl/workbook.bin"),
    ("docx", "word/document.xml"),
    ("pptx", "ppt/presentation.xml"),
    ("xlsx", "xl/workbook.xml"),
    ("docx", "word/"),
    ("pptx", "ppt/"),
    ("xlsx", "xl/"),
)
_OPEN_FORMATS = {MIME[each]: each for each in ("epub", "odt", "ods", "odp")}


def detect(data: bytes, name: str) -> Kind:
    """The kind of document; raises a DocumentError for what is none or cannot be read."""
    if not data.strip(_BLANK):
        raise DocumentError("empty_document", "The file is empty.", "Nothing to do, unless it should not be.")
    try:
        return _detect(data, name)
    except DocumentError as error:
        if error.code == "unsupported_type" and (title := promised(name)):
            from knowgate.knowledge.parse.archive import corrupt

            # Somebody has a document of that name: not one of the files that nobody meant to be indexed.
            raise corrupt(title) from error
        raise


def _detect(data: bytes, name: str) -> Kind:
    if found := _by_signature(data, name):
        return found
    if not is_text(data):
        raise _unsupported(_other(data), "Convert it to PDF, text or an office format and ingest that.")
    return _text_kind(data, name)


def _by_signature(data: bytes, name: str) -> Kind | None:
    if _is_pdf(data):
        return kind("pdf")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(data)
    if data.startswith(_OLE):
        return _compound(data, name)
    if data.lstrip()[:5] == b"{\\rtf":
        return kind("rtf")
    if mime := _image_mime(data):
        return Kind("image", mime)
    for offset, magic, what in _ARCHIVES:
        if data.startswith(magic, offset) and not (magic.isascii() and offset == 0 and is_text(data)):
            raise _unsupported(f"a {what} archive", "Unpack it and ingest the files inside.")
    return None


def _text_kind(data: bytes, name: str) -> Kind:
    from knowgate.knowledge.parse.sniff import is_xml, script_language, sniff

    head = decode(data[:_HEAD])
    if head.startswith("%!PS-Adobe"):
        raise _unsupported("a PostScript file", "Convert it to PDF and ingest that.")
    named = named_type(name)
    language = named_language(name) or (script_language(head) if named is None else None)
    if language and not is_xml(head):
        return Kind("code", f"text/x-{language}")
    return kind(sniff(head, data, named))


def _is_pdf(data: bytes) -> bool:
    position = data.find(b"%PDF-", 0, 1024)
    if position <= 0:
        return position == 0
    # Junk before the header is allowed, but a text may also just speak of it.
    return not data[:position].strip(_BLANK) or b"\x00" in data or bool(re.search(rb"\d+ \d+ obj\b", data))


def _image_mime(data: bytes) -> str | None:
    for magic, mime in _IMAGES:
        if data.startswith(magic):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and len(data) > 26 and data[6:10] == b"\x00\x00\x00\x00" and data[15:18] == b"\x00\x00\x00":
        return "image/bmp"
    return None


def _zipped(data: bytes) -> Kind:
    import zipfile  # 20 ms, and most files are none

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            mimetype = _first_bytes(archive, "mimetype") if "mimetype" in names else ""
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError):
        # The list of contents is at the end and may be lost; the names also stand before each entry.
        names = [match[1].decode("latin-1") for match in re.finditer(rb"PK\x03\x04.{26}([\w./\[\]-]+)", data, re.S)]
        mimetype = next((each for each in _OPEN_FORMATS if each.encode() in data[:200]), "")
    template = mimetype.removesuffix("-template")
    if template in _OPEN_FORMATS:
        return kind(_OPEN_FORMATS[template])
    names = [each.replace("\\", "/").lstrip("/") for each in names]
    for type_, part in _OOXML_PARTS:
        if any(each.startswith(part) for each in names):
            return kind(type_)
    if "META-INF/container.xml" in names:
        return kind("epub")
    if any(each.startswith(("visio/", "Index/")) for each in names):
        raise _unsupported("a Visio or iWork file", "Export it as PDF and ingest that.")
    raise _unsupported("a zip archive", "Unpack it and ingest the files inside.")


def _first_bytes(archive: ZipFile, name: str) -> str:
    from zipfile import BadZipFile

    try:
        with archive.open(name) as member:
            return member.read(100).decode("latin-1").strip()
    except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError):
        return ""


def _compound(data: bytes, name: str) -> Kind:
    """Old Office files, Outlook messages, and new Office files behind a password share one container."""
    if _stream("EncryptedPackage") in data:
        raise DocumentError(
            "encrypted_document", "The file is protected by a password.", "Remove the password and ingest it again."
        )
    found = [type_ for type_, stream in _OLE_STREAMS if _stream(stream) in data]
    if not found:
        raise _unsupported("an old Office format", "Save it as PDF or as DOCX, XLSX or PPTX and ingest that.")
    # Files can be embedded in one another, so several may show; then the name decides.
    return kind(ending(name) if ending(name) in found else found[0])


def _stream(name: str) -> bytes:
    return f"{name}\0".encode("utf-16-le")


def _other(data: bytes) -> str:
    unknown = "neither text nor of a known format"
    return next((what for offset, magic, what in _OTHERS if data.startswith(magic, offset)), unknown)


def _unsupported(what: str, fix: str) -> DocumentError:
    return DocumentError("unsupported_type", f"The file is {what} and cannot be read.", fix)

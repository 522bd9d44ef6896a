"""The compound files of older Office (OLE2): a small file system of named streams inside one file."""

from __future__ import annotations

import struct

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.archive import corrupt, encrypted

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END = 0xFFFFFFFA
"""From here on a sector number is a mark: end of chain, free, part of the table itself."""
_SMALL = 4096
"""Streams below this size are kept in pieces of 64 bytes inside the root stream."""


class CompoundFile:
    """Streams by name, read through their chains; a chain that runs in a circle is damage, not an endless loop."""

    def __init__(self, data: bytes, kind: str) -> None:
        self._data = data
        self._kind = kind
        try:
            self._load()
        except (struct.error, IndexError) as error:
            raise corrupt(kind) from error

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def stream(self, name: str) -> bytes:
        if name not in self._entries:
            raise corrupt(self._kind)
        start, size = self._entries[name]
        if size >= _SMALL:
            return self._chain(start)[:size]
        pieces = [self._small[place * 64 : place * 64 + 64] for place in self._follow(start, self._small_table)]
        return b"".join(pieces)[:size]

    def refuse_encrypted(self) -> None:
        """An encrypted DOCX, XLSX or PPTX is a compound file around the scrambled package."""
        if "EncryptedPackage" in self or "EncryptionInfo" in self:
            raise encrypted(self._kind)

    def _load(self) -> None:
        data = self._data
        if not data.startswith(SIGNATURE):
            raise corrupt(self._kind)
        (shift,) = struct.unpack_from("<H", data, 30)
        if shift not in (9, 12):
            raise corrupt(self._kind)
        self._size = 1 << shift
        directory, small_table, extra = (struct.unpack_from("<I", data, offset)[0] for offset in (48, 60, 68))
        places = list(struct.unpack_from("<109I", data, 76))
        seen: set[int] = set()
        while extra < _END and extra not in seen:
            seen.add(extra)
            *more, extra = struct.unpack(f"<{self._size // 4}I", self._sector(extra))
            places += more
        self._table: list[int] = []
        for place in places:
            if place < _END:
                self._table += struct.unpack(f"<{self._size // 4}I", self._sector(place))
        self._entries: dict[str, tuple[int, int]] = {}
        root = 0
        entries = self._chain(directory)
        for offset in range(0, len(entries) - 127, 128):
            length, kind = struct.unpack_from("<HB", entries, offset + 64)
            start, size = struct.unpack_from("<II", entries, offset + 116)
            name = entries[offset : offset + max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")
            if kind == 5:
                root = start
            elif kind == 2:
                # The first of a name wins: an embedded document has its own streams of the same names further down.
                self._entries.setdefault(name, (start, size))
        small = self._chain(small_table) if small_table < _END else b""
        self._small_table = list(struct.unpack(f"<{len(small) // 4}I", small))
        self._small = self._chain(root) if small else b""

    def _sector(self, place: int) -> bytes:
        sector = self._data[(place + 1) * self._size : (place + 2) * self._size]
        # The last sector of a file is often cut short.
        return sector.ljust(self._size, b"\0") if sector else b"\xff" * self._size

    def _chain(self, start: int) -> bytes:
        return b"".join(map(self._sector, self._follow(start, self._table)))

    def _follow(self, place: int, table: list[int]) -> list[int]:
        chain: list[int] = []
        seen: set[int] = set()
        while place < len(table):
            if place in seen:
                raise corrupt(self._kind)
            seen.add(place)
            chain.append(place)
            place = table[place]
        return chain


def wrap(name: str, data: bytes) -> bytes:
    """A clean compound file around one stream, for a reader that trusts what such files say of themselves."""
    size, mark = 4096, 0xFFFFFFFE
    data = data.ljust(_SMALL, b"\0")
    sectors = -(-len(data) // size)
    tables = -(-(sectors + 1) // (size // 4 - 1))
    chain = [0xFFFFFFFD] * tables + [mark] + list(range(tables + 2, tables + 1 + sectors)) + [mark]
    chain += [0xFFFFFFFF] * (tables * size // 4 - len(chain))
    places = [*range(tables), *[0xFFFFFFFF] * (109 - tables)]
    header = SIGNATURE + bytes(16) + struct.pack("<5H6x", 62, 4, 0xFFFE, 12, 6)
    header += struct.pack("<10I", 1, tables, tables, 0, _SMALL, mark, 0, mark, 0, places[0])
    header += struct.pack("<108I", *places[1:109])
    entries = b""
    for title, kind, below, start, length in (
        ("Root Entry", 5, 1, tables + 1, 0),
        (name, 2, 0xFFFFFFFF, tables + 1, len(data)),
    ):
        text = title.encode("utf-16-le")
        entries += text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text) + 2, kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, below)
        entries += bytes(36) + struct.pack("<IQ", start, length)
    table = struct.pack(f"<{len(chain)}I", *chain)
    return header.ljust(size, b"\0") + table + entries.ljust(size, b"\0") + data.ljust(sectors * size, b"\0")


def save_as(kind: str, newer: str) -> DocumentError:
    return DocumentError(
        "old_format",
        f"This {kind} file is from a version too old to be read.",
        f"Save it as {newer} and ingest that.",
    )

"""For readers whose text is the file itself: blocks are marked in it line by line."""

from __future__ import annotations

from knowgate.model import Block, BlockKind


class Spans:
    """Collects blocks of a text. A block stays open, and lines of its kind join it, until it is closed."""

    __slots__ = ("_end", "_kind", "_start", "blocks")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._kind: BlockKind | None = None
        self._start = self._end = 0

    @property
    def open(self) -> BlockKind | None:
        return self._kind

    @property
    def open_start(self) -> int:
        return self._start

    def join(self, kind: BlockKind, start: int, end: int) -> None:
        """This line belongs to the open block, or opens one."""
        if self._kind != kind:
            self.close()
            self._kind, self._start = kind, start
        self._end = end

    def close(self) -> None:
        if self._kind is not None:
            self.blocks.append(Block(self._kind, self._start, self._end))
            self._kind = None

    def add(self, kind: BlockKind, start: int, end: int, level: int = 0) -> None:
        """A block of its own."""
        self.close()
        if start < end:
            self.blocks.append(Block(kind, start, end, level))

    def heading_of_open(self, level: int) -> None:
        """What is open turns out to be a heading."""
        self._kind = None
        self.blocks.append(Block("heading", self._start, self._end, level))

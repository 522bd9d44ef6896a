"""Where words go: the result to stdout, everything else to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.measure import Measurement
    from rich.text import Text

_UNLIMITED = 10_000
"""Columns of a pipe: what reads it wants lines as they are."""
_NARROW = 80
_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


def clean(text: str) -> str:
    """Text of a document or a file name with nothing in it that a terminal obeys; every character keeps its place."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


class Tail:
    """A path in a table, dim: where there is no room for all of it, its end is what tells it from others."""

    def __init__(self, text: str) -> None:
        self._text = one_line(text)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        from rich.cells import cell_len
        from rich.measure import Measurement

        return Measurement(1, max(1, cell_len(self._text))).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        text = Text(self._text, style="dim", no_wrap=True)
        over = text.cell_len - options.max_width
        yield text if over <= 0 else Text("…", style="dim", no_wrap=True) + text[over + 1 :]


def told(record: DataclassInstance) -> dict[str, Any]:
    """Something of ours for --json, with moments as REST tells them."""
    return asdict(record, dict_factory=_with_moments)


def _plain(value: Any) -> object:
    return told(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def _with_moments(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    from knowgate.answers import moment

    # What documents and APIs say is in dictionaries, which do not come by here.
    return {
        name: moment(value) if isinstance(value, float) and name.endswith("_at") else value for name, value in fields
    }


class Screen:
    """Silent but for results and errors when the answer is JSON."""

    def __init__(self, json: bool) -> None:
        self.json = json

    @cached_property
    def out(self) -> Console:
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        return _console(stderr=True)

    def answer(self, value: object) -> None:
        """One JSON document, always UTF-8, whatever the terminal speaks."""
        import orjson

        options = (
            orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS
        )
        sys.stdout.flush()
        sys.stdout.buffer.write(orjson.dumps(value, default=_plain, option=options))
        sys.stdout.buffer.flush()

    def show(self, part: RenderableType = "") -> None:
        """A part of the result; what reads a pipe has no use for the spaces that fill a line."""
        if self.out.is_terminal:
            self.out.print(part)
            return
        with self.out.capture() as captured:
            self.out.print(part)
        lines = captured.get().split("\n")
        sys.stdout.write("\n".join(line.rstrip() for line in lines))

    def note(self, text: str) -> None:
        if not self.json:
            self.err.print(clean(text), style="dim")

    def warn(self, text: str) -> None:
        if not self.json:
            self.err.print(clean(text), style="yellow")

    def tell(self, text: str) -> None:
        """What a person must know before he is asked, whatever form the answer has."""
        self.err.print(clean(text), style="yellow")

    def table(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str | Tail]],
        numbers: Sequence[str] = (),
        long: Sequence[str] = (),
        extra: Sequence[str] = (),
    ) -> None:
        """`numbers` are set flush right, `long` columns are cut where a line has no room, `extra` ones left out."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD if self.out.is_terminal else None, pad_edge=False)
        kept = [index for index, name in enumerate(columns) if self.out.width >= _NARROW or name not in extra]
        for name in (columns[index] for index in kept):
            table.add_column(
                name, justify="right" if name in numbers else "left", no_wrap=bool(long) and name not in long
            )
        for row in rows:
            cells = (row[index] for index in kept)
            table.add_row(
                *(
                    Text(clean(cell), no_wrap=bool(long), overflow="ellipsis" if long else "fold")
                    if isinstance(cell, str)
                    else cell
                    for cell in cells
                )
            )
        self.show(table)

    def mark(self, fancy: str, plain: str) -> str:
        """A sign the terminal can show, or the word for it."""
        try:
            fancy.encode(self.out.encoding)
        except UnicodeEncodeError:
            return plain
        return fancy


def _console(stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _UNLIMITED
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)

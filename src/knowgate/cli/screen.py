"""Where words go: the result to stdout, everything else to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import asdict, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.measure import Measurement
    from rich.text import Text

_UNLIMITED = 10_000
"""Columns of a pipe: what reads it wants lines as they are."""
_LEAST = 15
"""What a long text is given before other columns are left out."""
_CUT = 8
"""What is left of one that may be cut before words are broken."""
_Kind = Literal["cut", "whole", "words"]
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

    def __str__(self) -> str:
        return self._text

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


class Need(NamedTuple):
    """How wide a column is."""

    least: int
    """With words in several lines, or a long text cut or broken."""
    good: int
    """With nothing but a long text cut or broken."""
    most: int


def need(cells: Sequence[str], kind: _Kind) -> Need:
    from rich.cells import cell_len

    most = max(map(cell_len, cells))
    if kind == "words":
        return Need(max((cell_len(word) for cell in cells for word in cell.split()), default=0), most, most)
    return Need(min(most, _CUT if kind == "cut" else _LEAST), min(most, _LEAST), most)


def fit(needs: Mapping[str, Need], width: int, extra: Sequence[str]) -> dict[str, int | None]:
    """The columns for which a line has room, and how wide each is; None: as it comes, because there is too little."""
    kept = dict(needs)
    for name in extra:
        if sum(need.good for need in kept.values()) <= _room(width, kept):
            break
        kept.pop(name, None)
    widths = {name: need.least for name, need in kept.items()}
    if sum(widths.values()) > _room(width, kept):
        return dict.fromkeys(kept)
    for goals in ({name: each.good for name, each in kept.items()}, {name: each.most for name, each in kept.items()}):
        left = _room(width, kept) - sum(widths.values())
        # Who wants little gets it, and the rest is shared.
        for waiting, name in enumerate(sorted(goals, key=lambda name: goals[name] - widths[name])):
            more = min(goals[name] - widths[name], left // (len(goals) - waiting))
            widths[name] += more
            left -= more
    return dict(widths)


def _room(width: int, columns: Sized) -> int:
    """Without what stands between the columns and around them."""
    return width - 3 * len(columns) + 1


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
        whole: Sequence[str] = (),
    ) -> None:
        """`numbers` are set flush right. Where a line has no room, `extra` columns are left out, the first named first,
        `long` ones are cut, and `whole` ones and words are set in several lines.
        """
        from rich import box
        from rich.table import Table
        from rich.text import Text

        widths: dict[str, int | None] = dict.fromkeys(columns)
        if long or whole:
            cells = {name: [name, *(str(row[index]) for row in rows)] for index, name in enumerate(columns)}
            kinds: dict[str, _Kind] = {**dict.fromkeys(long, "cut"), **dict.fromkeys(whole, "whole")}
            needs = {name: need(each, kinds.get(name, "words")) for name, each in cells.items()}
            widths = fit(needs, self.out.width, extra)
        table = Table(box=box.SIMPLE_HEAD if self.out.is_terminal else None, pad_edge=False)
        for name, width in widths.items():
            table.add_column(name, justify="right" if name in numbers else "left", width=width)
        for row in rows:
            table.add_row(
                *(
                    Text(clean(cell), no_wrap=name in long, overflow="ellipsis" if name in long else "fold")
                    if isinstance(cell, str)
                    else cell
                    for name, cell in zip(columns, row, strict=True)
                    if name in widths
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

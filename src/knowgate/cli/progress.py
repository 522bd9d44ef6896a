"""How far long work is: bars on a terminal, now and then a plain line elsewhere, nothing beside JSON."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from knowgate.cli.screen import Screen, one_line
from knowgate.cli.sizes import counted

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from knowgate.knowledge.ingest import Progress

_LABELS = {
    "listing": "Looking for files",
    "reading": "Reading",
    "embedding": "Vectors",
    "extracting": "Model",
    "exporting": "Exporting",
    "importing": "Importing",
    "copying": "Copying",
}
_UNITS = {
    "listing": "file",
    "reading": "file",
    "embedding": "passage",
    "extracting": "passage",
    "exporting": "document",
    "importing": "step",
    "copying": "document",
}
_QUIET_SECONDS = 5.0
CountedStage = Literal["exporting", "importing", "copying"]


@dataclass(frozen=True, slots=True)
class Counted:
    stage: CountedStage
    done: int
    total: int
    name: str = ""


@contextmanager
def counting(screen: Screen, stage: CountedStage) -> Generator[Callable[[int, int], None]]:
    """For work that tells how much is done, of how much."""
    with progress(screen) as report:
        yield lambda done, total: report(Counted(stage, done, total))


@contextmanager
def progress(screen: Screen) -> Generator[Callable[[Progress | Counted], None]]:
    if screen.json:
        yield lambda _: None
    elif screen.err.is_terminal:
        with _rich_bars(screen) as bars:
            yield _Bars(bars)
    else:
        yield _Lines(screen.note)


def _rich_bars(screen: Screen) -> RichProgress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[name]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")),
        console=screen.err,
        transient=True,
    )


class _Bars:
    def __init__(self, bars: RichProgress) -> None:
        self._bars = bars
        self._stages: dict[str, TaskID] = {}

    def __call__(self, seen: Progress | Counted) -> None:
        total = seen.total or None
        if seen.stage not in self._stages:
            # Passages that had their vectors before say nothing about the speed of this run.
            self._stages[seen.stage] = self._bars.add_task(
                _LABELS[seen.stage], completed=seen.done, total=total, name=""
            )
        if seen.stage != "listing" and "listing" in self._stages:
            self._bars.remove_task(self._stages.pop("listing"))
        self._bars.update(self._stages[seen.stage], completed=seen.done, total=total, name=one_line(seen.name))


class _Lines:
    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._stage = ""
        self._said_at = 0.0
        self._began = (0.0, 0)

    def __call__(self, seen: Progress | Counted) -> None:
        now = self._clock()
        if seen.stage != self._stage:
            self._stage, self._began = seen.stage, (now, seen.done)
        elif now - self._said_at < _QUIET_SECONDS:
            return
        self._said_at = now
        if seen.stage == "listing":
            self._say("Looking for files.")
        elif seen.total:
            left = time_left(seen.done - self._began[1], seen.total - seen.done, now - self._began[0])
            self._say(f"{_LABELS[seen.stage]}: {seen.done} of {counted(seen.total, _UNITS[seen.stage])}{left}.")


def time_left(done: int, to_do: int, seconds: float) -> str:
    """`, about 40 s left`; nothing while nothing is known."""
    if done <= 0 or to_do <= 0 or seconds <= 0:
        return ""
    left = round(to_do * seconds / done)
    return f", about {left} s left" if left < 120 else f", about {left // 60} min left"

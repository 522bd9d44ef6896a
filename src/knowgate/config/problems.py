"""What is wrong with the settings, all of it at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from knowgate.config.origins import Origin
from knowgate.errors import InputError


@dataclass(frozen=True, slots=True)
class Problem:
    code: str
    where: Origin
    text: str
    fix: str


def refusal(problems: Sequence[Problem]) -> InputError:
    """One error for all of them, from the top of the file down; its code is that of the first."""
    first, *more = sorted(problems, key=lambda problem: problem.where.rank)
    if not more:
        return InputError(first.code, f"{first.where}: {first.text}", first.fix)
    lines = [f"  {problem.where}: {problem.text} {problem.fix}" for problem in (first, *more)]
    return InputError(
        first.code,
        "\n".join([f"{len(lines)} settings are wrong:", *lines]),
        "Correct these; `knowgate config --example` prints every setting with its default.",
    )


def unknown(where: Origin, path: Sequence[str], known: Iterable[Sequence[str]]) -> Problem:
    return Problem("unknown_setting", where, f"There is no setting {shown(path)}.", _did_you_mean(path, list(known)))


def _did_you_mean(path: Sequence[str], known: Sequence[Sequence[str]]) -> str:
    *table, name = path
    beside = {key[-1]: key for key in known if list(key[:-1]) == table}
    namesakes = [key for key in known if key[-1] == name]
    if namesakes:
        hint = " Settings of the top level stand above the first [table]." if len(namesakes[0]) == 1 else ""
        return f"Did you mean {' or '.join(map(shown, namesakes))}?{hint}"
    if near := get_close_matches(name, beside, n=1):
        return f"Did you mean {shown(beside[near[0]])}?"
    whole = {shown(key): key for key in known}
    if near := get_close_matches(shown(path), whole, n=1, cutoff=0.8):
        return f"Did you mean {near[0]}?"
    return "Remove it; `knowgate config` lists every setting."


def shown(path: Sequence[str]) -> str:
    """A key as it is written in TOML; whatever a terminal could take for a command is escaped."""
    return ".".join(part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else json.dumps(_hidden(part)) for part in path)


def _hidden(part: str) -> str:
    """An address that stands where a name belongs may hold a password."""
    return re.sub(r"//.*@", "//...@", part, flags=re.DOTALL)

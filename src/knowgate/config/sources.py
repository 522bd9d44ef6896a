"""What each source gives: flags, environment, .env and file, and the names in them that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from knowgate.config.files import ConfigFile, DotEnv
from knowgate.config.leaves import Leaf, named
from knowgate.config.origins import Given, Origin
from knowgate.config.problems import Problem, shown, unknown

Source = tuple[dict[str, Given], list[Problem]]

PREFIX = "KNOWGATE_"
RESERVED = ("KNOWGATE_CONFIG", "KNOWGATE_DEBUG", "KNOWGATE_URL", "KNOWGATE_API_KEY")
"""Which file, how much is told of a bug, where and as whom a remote server is called: not settings of this tree."""


def from_flags(flags: Mapping[str, object], leaves: tuple[Leaf, ...], cwd: Path) -> Source:
    """None is a flag that was not given."""
    given: dict[str, Given] = {}
    problems: list[Problem] = []
    keys = {leaf.key for leaf in leaves}
    for key, value in flags.items():
        origin = Origin("flag", name=key)
        if key not in keys:
            problems.append(unknown(origin, key.split("."), [leaf.path for leaf in leaves]))
        elif value is not None:
            given[key] = Given(value, origin, cwd)
    return given, problems


def from_environ(environ: Mapping[str, str], leaves: tuple[Leaf, ...], cwd: Path) -> Source:
    origins = {name: Origin("env", name=name) for name in environ}
    return _from_names(environ, origins, leaves, cwd)


def from_dotenv(dotenv: DotEnv, leaves: tuple[Leaf, ...]) -> Source:
    origins = {name: Origin("dotenv", dotenv.path, line, name) for name, line in dotenv.lines.items()}
    given, problems = _from_names(dotenv.values, origins, leaves, dotenv.path.parent)
    if "KNOWGATE_CONFIG" in dotenv.values:
        where = origins["KNOWGATE_CONFIG"]
        text = "KNOWGATE_CONFIG has no effect here: .env is only found after the file."
        problems.append(Problem("bad_setting", where, text, "Set it in the environment, or use --config."))
    return given, [*dotenv.problems, *problems]


def _from_names(
    values: Mapping[str, str], origins: Mapping[str, Origin], leaves: tuple[Leaf, ...], base: Path
) -> Source:
    given: dict[str, Given] = {}
    problems: list[Problem] = []
    keys = {leaf.env: leaf.key for leaf in leaves}
    for name in sorted(values):
        if name in keys:
            given[keys[name]] = Given(values[name], origins[name], base)
        elif name.startswith(PREFIX) and name not in RESERVED:
            endings = [known.removeprefix(PREFIX) for known in (*keys, *RESERVED)]
            near = get_close_matches(name.removeprefix(PREFIX), endings, n=1)
            fix = f"Did you mean {PREFIX}{near[0]}?" if near else "Unset it; `knowgate config` lists every setting."
            text = f"There is no setting {shown([name])}."
            problems.append(Problem("unknown_setting", origins[name], text, fix))
    return given, problems


def from_file(file: ConfigFile, leaves: tuple[Leaf, ...]) -> Source:
    given: dict[str, Given] = {}
    problems: list[Problem] = []
    paths = {leaf.path for leaf in leaves}
    tables = {path[:depth] for path in paths for depth in range(1, len(path))} | {each.path for each in named()}
    for path, value in _walk(file.tree, tables):
        origin = Origin("file", file.path, file.lines.get(path))
        if path in paths:
            given[".".join(path)] = Given(value, origin, file.path.parent)
        elif path in tables:
            text, fix = f"{shown(path)} must be a table.", f"Write [{shown(path)}] and its settings below it."
            problems.append(Problem("bad_setting", origin, text, fix))
        else:
            problems.append(unknown(origin, path, sorted(paths | tables)))
    return given, problems


def _walk(
    tree: Mapping[str, Any], tables: set[tuple[str, ...]], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], object]]:
    """Everything that is written, down to where the settings tree ends."""
    for name, value in tree.items():
        path = (*above, name)
        if path in tables and isinstance(value, dict):
            yield from _walk(cast("dict[str, Any]", value), tables, path)
        else:
            yield path, value

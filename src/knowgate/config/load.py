"""The settings in force: flags before environment before .env before what was changed while running before file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from knowgate.config import saved
from knowgate.config.files import ConfigFile, find_config, read_config, read_dotenv
from knowgate.config.leaves import Leaf, leaves
from knowgate.config.lines import Place
from knowgate.config.origins import Given, Origin
from knowgate.config.problems import Problem, refusal
from knowgate.config.settings import Settings
from knowgate.config.sources import Source, from_dotenv, from_environ, from_file, from_flags
from knowgate.config.values import convert, mismatch
from knowgate.config.variables import Variables


@dataclass(frozen=True, slots=True)
class Loaded:
    settings: Settings
    origins: Mapping[str, Origin]
    """Where each value came from, by dotted key."""
    file: Path | None


def load(
    config: Path | None = None,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Loaded:
    """Read every source; whatever is wrong in any of them is told in one InputError.

    `flags` are by dotted key. `environ` is the process's own, and `cwd` the working directory, unless given.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd.absolute()
    path = find_config(config, environ, cwd)
    file = read_config(path) if path else None
    dotenv = read_dotenv(path.parent if path else cwd)
    variables = Variables(dict(environ), dotenv.values)
    known = leaves()

    sources: list[Source] = [
        from_file(file, known) if file else ({}, []),
        from_dotenv(dotenv, known),
        from_environ(environ, known, cwd),
        from_flags(flags or {}, known, cwd),
    ]
    given, settings = _together(sources, known, variables, file)
    changed = settings.data / saved.FILE_NAME
    if _is_file(changed):
        sources.insert(1, from_file(read_config(changed), known))
        given, settings = _together(sources, known, variables, file)
    origins = {leaf.key: given[leaf.key].origin if leaf.key in given else Origin("default") for leaf in known}
    return Loaded(settings, origins, path)


def _together(
    sources: Sequence[Source], known: tuple[Leaf, ...], variables: Variables, file: ConfigFile | None
) -> tuple[dict[str, Given], Settings]:
    """Later sources are stronger."""
    given: dict[str, Given] = {}
    problems: list[Problem] = []
    for values, wrong in sources:
        given |= values
        problems += wrong
    settings, wrong = _settle(known, given, variables, file)
    problems += wrong
    if settings is None or problems:
        raise refusal(problems)
    return given, settings


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False  # a folder that nobody can look into is told of when it is opened


def _settle(
    known: tuple[Leaf, ...], given: Mapping[str, Given], variables: Variables, file: ConfigFile | None
) -> tuple[Settings | None, list[Problem]]:
    tree: dict[str, Any] = {}
    problems: list[Problem] = []
    for leaf in known:
        if leaf.key not in given:
            continue
        value = convert(leaf, given[leaf.key], variables)
        if isinstance(value, Problem):
            problems.append(value)
        else:
            table = tree
            for name in leaf.path[:-1]:
                table = table.setdefault(name, {})
            table[leaf.path[-1]] = value
    try:
        return Settings.model_validate(tree, strict=True), problems
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        problems += [_explain(detail["loc"], known, given, file) for detail in details]
    return None, problems


def _explain(place: Place, known: tuple[Leaf, ...], given: Mapping[str, Given], file: ConfigFile | None) -> Problem:
    leaf = next(leaf for leaf in known if place[: len(leaf.path)] == leaf.path)
    source = given[leaf.key]
    origin, value = source.origin, source.raw
    if file and origin.kind == "file":
        origin = replace(origin, line=file.lines.get(place, origin.line))
    item = place[-1]
    if isinstance(item, int) and isinstance(value, list | tuple):
        return mismatch(leaf, cast("list[object]", value)[item], origin, item)
    return mismatch(leaf, value, origin)

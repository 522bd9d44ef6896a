"""The settings in force: flags before environment before .env before what was changed while running before file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from knowgate.config import saved
from knowgate.config.files import ConfigFile, find_config, read_config, read_dotenv
from knowgate.config.leaves import Leaf, leaves, named
from knowgate.config.lines import Place
from knowgate.config.origins import Given, Origin
from knowgate.config.problems import Problem, refusal, shown
from knowgate.config.settings import Settings
from knowgate.config.sources import Source, from_dotenv, from_environ, from_file, from_flags
from knowgate.config.trust import IGNORED, is_trusted, not_trusted, sections_of
from knowgate.config.values import convert, mismatch, toml_text
from knowgate.config.variables import Variables


@dataclass(frozen=True, slots=True)
class Loaded:
    settings: Settings
    origins: Mapping[str, Origin]
    """Where each value came from, by dotted key."""
    file: Path | None
    ignored: tuple[str, ...] = ()
    """Sections of the file that are not in force, because nobody has trusted it."""


def load(
    config: Path | None = None,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Loaded:
    """Read every source; whatever is wrong in any of them is told in one InputError.

    `flags` are by dotted key, a table of named sections as a whole. `environ` is the process's own, and `cwd` the
    working directory, unless given.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd.absolute()
    path = find_config(config, environ, cwd)
    file = read_config(path) if path else None
    named = config is not None or bool(environ.get("KNOWGATE_CONFIG"))
    ignored: tuple[str, ...] = ()
    if file and not named and (asked := sections_of(file.tree)) and not is_trusted(file.path):
        file, ignored = _without(file, asked), asked
    dotenv = read_dotenv(path.parent if path else cwd)
    variables = Variables(dict(environ), dotenv.values)
    flags = dict(flags or {})
    trees = [file.tree if file else {}, _take_named(flags)]
    known = leaves(*trees)

    sources: list[Source] = [
        from_file(file, known) if file else ({}, []),
        from_dotenv(dotenv, known),
        from_environ(environ, known, cwd),
        from_flags(flags, known, cwd),
    ]
    if "policy.file" in sources[1][0] and not named and not (path and is_trusted(path)):
        raise not_trusted(dotenv.path)
    given, settings = _together(sources, known, variables, file)
    changed = settings.data / saved.FILE_NAME
    if _is_file(changed):
        # Nobody changes these while we run, and the folder may be somebody else's.
        later = _without(read_config(changed), IGNORED)
        known = leaves(*trees, later.tree)
        sources.insert(1, from_file(later, known))
        given, settings = _together(sources, known, variables, file)
    origins = {leaf.key: given[leaf.key].origin if leaf.key in given else Origin("default") for leaf in known}
    return Loaded(settings, origins, path, ignored)


def _without(file: ConfigFile, sections: Sequence[str]) -> ConfigFile:
    if "policy" in sections:
        raise not_trusted(file.path)
    return replace(file, tree={name: value for name, value in file.tree.items() if name not in sections})


def _take_named(flags: dict[str, object]) -> dict[str, Any]:
    """Tables of named sections among the flags, as a tree; each of their settings becomes a flag of its own."""
    tree: dict[str, Any] = {}
    for table in named():
        sections = cast("Mapping[str, Mapping[str, object]]", flags.pop(table.key, None) or {})
        _put(tree, table.path, sections)
        flags |= {f"{table.key}.{name}.{key}": value for name, each in sections.items() for key, value in each.items()}
    return tree


def _put(tree: dict[str, Any], path: Sequence[str], value: object) -> None:
    for name in path[:-1]:
        tree = tree.setdefault(name, {})
    tree[path[-1]] = value


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
    unread: list[Place] = []
    # A section that people named is there even when it says nothing.
    for section in dict.fromkeys(leaf.section for leaf in known if leaf.section):
        _put(tree, section, {})
    for leaf in known:
        if leaf.key not in given:
            continue
        value = convert(leaf, given[leaf.key], variables)
        if isinstance(value, Problem):
            problems.append(value)
            unread.append(leaf.path)
        else:
            _put(tree, leaf.path, value)
    try:
        return Settings.model_validate(tree, strict=True), problems
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        wrong = [*unread, *(detail["loc"] for detail in details)]
        new = [each for each in details if each["loc"] not in unread and not _holds(each["loc"], wrong)]
        problems += dict.fromkeys(_explain(each["loc"], each["msg"], known, given, file) for each in new)
    return None, problems


def _holds(whole: Place, places: Iterable[Place]) -> bool:
    """What is wrong with a part makes the whole wrong, too, and is told only once."""
    return any(len(place) > len(whole) and place[: len(whole)] == whole for place in places)


def _explain(
    place: Place, said: str, known: tuple[Leaf, ...], given: Mapping[str, Given], file: ConfigFile | None
) -> Problem:
    leaf = next((leaf for leaf in known if place[: len(leaf.path)] == leaf.path), None)
    if leaf is None or leaf.key not in given:
        return _explain_section(place, said, leaf, given, file)
    source = given[leaf.key]
    origin, value = source.origin, source.raw
    if file and origin.kind == "file":
        origin = replace(origin, line=file.lines.get(place, origin.line))
    item = place[-1]
    if isinstance(item, int) and isinstance(value, list | tuple):
        return mismatch(leaf, cast("list[object]", value)[item], origin, item)
    return mismatch(leaf, value, origin)


def _explain_section(
    place: Place, said: str, leaf: Leaf | None, given: Mapping[str, Given], file: ConfigFile | None
) -> Problem:
    """A setting is missing in a named section, or its settings do not fit together."""
    section = [str(part) for part in (leaf.section if leaf else place)]
    beside = (each.origin for key, each in given.items() if key.startswith(".".join([*section, ""])))
    line = file.lines.get(tuple(section)) if file else None
    origin = Origin("file", file.path, line) if file and line else next(beside, Origin("default"))
    if leaf:
        text = f"{leaf.key} is missing; it must be {leaf.expected}."
        return Problem("bad_setting", origin, text, f"Write for example {leaf.path[-1]} = {toml_text(leaf.example)}")
    text = f"{shown(section)}: {said.removeprefix('Value error, ')}."
    return Problem("bad_setting", origin, text, "Correct one of them.")

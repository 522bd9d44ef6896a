"""Which files are meant when somebody names a folder: the same ones here and for what is sent to a server."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path

EXCLUDE = (
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    "*.pyc",
    ".*_cache",
    ".tox",
    ".idea",
    ".env",
    ".env.*",
    ".DS_Store",
    "Thumbs.db",
    "~$*",
)
"""What is left out unless somebody says otherwise."""


def walk(
    root: Path, exclude: Sequence[str], onerror: Callable[[OSError], None], skip: Path | None = None
) -> Iterator[tuple[Path, bool]]:
    """The files below a folder, links in its own path resolved, in stable order, and whether each one is meant.

    Hidden ones, excluded ones and linked folders are left out. A link to a file is not meant when the file is left out
    itself or lies elsewhere: who names a folder does not know where its links lead.
    """
    for folder, folders, names in os.walk(root, onerror=onerror):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders if here / name != skip and not excluded(here / name, root, exclude)
        )
        for path in (here / name for name in sorted(names)):
            if not excluded(path, root, exclude) and path.is_file():
                yield path, not path.is_symlink() or _is_meant(path.resolve(), root, exclude, skip)


def excluded(path: Path, root: Path, patterns: Sequence[str]) -> bool:
    """Hidden, or named by a pattern: its name, or its path below the root."""
    if path.name.startswith("."):
        return True
    relative = path.relative_to(root).as_posix()
    return any(fnmatch.fnmatch(path.name, pattern) or fnmatch.fnmatch(relative, pattern) for pattern in patterns)


def left_out(path: Path, root: Path, patterns: Sequence[str]) -> bool:
    """Whether it is excluded itself or lies in a folder below the root that is."""
    above = takewhile(lambda folder: folder != root, path.parents)
    return any(excluded(each, root, patterns) for each in (path, *above))


def _is_meant(target: Path, root: Path, exclude: Sequence[str], skip: Path | None) -> bool:
    if not target.is_relative_to(root) or (skip and target.is_relative_to(skip)):
        return False
    return not left_out(target, root, exclude)

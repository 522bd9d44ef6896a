"""The settings as people see them: what is in force, an example file, the table in the docs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from knowgate.config.leaves import Leaf, Named, Table, leaves, named, nodes
from knowgate.config.load import Loaded
from knowgate.config.problems import shown
from knowgate.config.settings import Settings
from knowgate.config.values import toml_text

NAME = "NAME"
"""Stands in the docs for what people call a section of theirs."""


@dataclass(frozen=True, slots=True)
class Row:
    key: str
    value: str
    """As TOML; empty when it is not set; a secret is masked."""
    origin: str
    description: str


def describe(loaded: Loaded) -> list[Row]:
    return [
        Row(leaf.key, _text(_value(loaded.settings, leaf)), str(loaded.origins[leaf.key]), leaf.description)
        for leaf in leaves(loaded.settings.model_dump())
    ]


def as_toml(settings: Settings) -> str:
    """A knowgate.toml that says the same as `settings`.

    Secrets are comments, and so is what has no fixed default and is not set: the file works on another machine.
    """
    usual = Settings()
    lines = ["# Settings of Knowgate. Every line may be left out. Relative paths start at this file's folder."]
    for node in nodes():
        lines.append("")
        if isinstance(node, Table):
            lines += [f"# {node.description}", f"[{node.key}]"]
        elif isinstance(node, Named):
            lines += _sections(settings, node)
        else:
            off = node.default is None and _value(settings, node) == _value(usual, node)
            lines += _setting(settings, node, off)
    return "\n".join(lines) + "\n"


def _sections(settings: Settings, table: Named) -> list[str]:
    """Those that there are, or one in comments."""
    names = list(_at(settings, table.path))
    if not names:
        examples = [f"#   {leaf.path[-1]} = {toml_text(leaf.example)}" for leaf in table.leaves(NAME)]
        return [f"# {table.description}", f"# [{table.key}.{NAME}]", *examples]
    lines: list[str] = []
    for name in names:
        lines += [f"# {table.description}", f"[{table.key}.{shown([name])}]"]
        for leaf in table.leaves(name):
            lines += _setting(settings, leaf, off=_value(settings, leaf) is None)
    return lines


def _setting(settings: Settings, leaf: Leaf, off: bool) -> list[str]:
    off = off or leaf.kind == "secret"
    value = toml_text(leaf.example if off else _value(settings, leaf))
    return [f"# {leaf.description} ({leaf.expected})", f"{'# ' if off else ''}{leaf.path[-1]} = {value}"]


def settings_table() -> str:
    """Every setting as a Markdown table."""
    rows = ["| setting | default | must be | what it does |", "|---|---|---|---|"]
    for leaf in leaves(_with_names()):
        default = _text(leaf.default)
        rows.append(f"| `{leaf.key}` | {default and f'`{default}`'} | {leaf.expected} | {leaf.description} |")
    return "\n".join(rows) + "\n"


def refreshed(page: str) -> str:
    """A docs page with the table between its two marks made anew."""
    marks = r"(<!-- settings -->\n).*?(<!-- end of settings -->)"
    return re.sub(marks, lambda match: match[1] + settings_table() + match[2], page, flags=re.DOTALL)


def _with_names() -> dict[str, Any]:
    """A tree with one section in each table of named sections."""
    tree: dict[str, Any] = {}
    for table in named():
        below = tree
        for name in table.path:
            below = below.setdefault(name, {})
        below[NAME] = {}
    return tree


def _value(settings: Settings, leaf: Leaf) -> object:
    return _at(settings, leaf.path)


def _at(settings: Settings, path: tuple[str, ...]) -> Any:
    value: Any = settings.model_dump()
    for name in path:
        value = value[name]
    return value


def _text(value: object) -> str:
    return "" if value is None else toml_text(value)

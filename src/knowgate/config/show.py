"""The settings as people see them: what is in force, an example file, the table in the docs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowgate.config.leaves import Leaf, Table, leaves, nodes
from knowgate.config.load import Loaded
from knowgate.config.settings import Settings
from knowgate.config.values import toml_text


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
        for leaf in leaves()
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
            continue
        value = _value(settings, node)
        off = node.kind == "secret" or (node.default is None and value == _value(usual, node))
        lines += [f"# {node.description} ({node.expected})"]
        lines += [f"{'# ' if off else ''}{node.path[-1]} = {toml_text(node.example if off else value)}"]
    return "\n".join(lines) + "\n"


def settings_table() -> str:
    """Every setting as a Markdown table."""
    rows = ["| setting | default | must be | what it does |", "|---|---|---|---|"]
    for leaf in leaves():
        default = _text(leaf.default)
        rows.append(f"| `{leaf.key}` | {default and f'`{default}`'} | {leaf.expected} | {leaf.description} |")
    return "\n".join(rows) + "\n"


def refreshed(page: str) -> str:
    """A docs page with the table between its two marks made anew."""
    marks = r"(<!-- settings -->\n).*?(<!-- end of settings -->)"
    return re.sub(marks, lambda match: match[1] + settings_table() + match[2], page, flags=re.DOTALL)


def _value(settings: Settings, leaf: Leaf) -> object:
    value: object = settings
    for name in leaf.path:
        value = getattr(value, name)
    return value


def _text(value: object) -> str:
    return "" if value is None else toml_text(value)

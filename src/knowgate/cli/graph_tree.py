"""A trace on the terminal."""

from __future__ import annotations

from knowgate.cli.screen import Screen, clean
from knowgate.knowledge.graph.draw.tree import lines
from knowgate.model import Step

_PLAIN = str.maketrans({"├": "|", "│": "|", "└": "`", "─": "-", "←": "<", "…": "..."})


def show_tree(screen: Screen, step: Step) -> None:
    from rich.text import Text

    fancy = screen.mark("├│└─←…", "")
    text = clean("\n".join(lines(step)))
    screen.show(Text(text if fancy else text.translate(_PLAIN), no_wrap=True, overflow="ignore"))

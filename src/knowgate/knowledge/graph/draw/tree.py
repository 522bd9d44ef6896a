"""A trace as a tree of text lines, for terminals and for assistants."""

from __future__ import annotations

from knowgate.model import Step


def lines(step: Step) -> list[str]:
    """The start first; below it each branch with the relations that lead to it."""
    found = [_said(step)]
    waiting = [("", branch) for branch in reversed(_branches(step))]
    # The strokes above say how many branches are still to come, so each level goes down with its own.
    while waiting:
        strokes, (branch, last) = waiting.pop()
        found.append(f"{strokes}{'└─ ' if last else '├─ '}{_said(branch) if isinstance(branch, Step) else branch}")
        if isinstance(branch, Step):
            below = strokes + ("   " if last else "│  ")
            waiting += [(below, each) for each in reversed(_branches(branch))]
    return found


def _branches(step: Step) -> list[tuple[Step | str, bool]]:
    """What hangs on a step, and whether it is the last."""
    parts: list[Step | str] = [*step.steps, *([f"… {step.more} more"] if step.more else [])]
    return [(part, index == len(parts) - 1) for index, part in enumerate(parts)]


def _said(step: Step) -> str:
    way = f"{', '.join(step.relations)}: " if step.relations else ""
    return f"{way}{' '.join(step.name.split())} [{step.type}]{' (continued elsewhere)' if step.seen else ''}"

"""Environment variables, the real ones before those of `.env`, and `${NAME}` in a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_REFERENCE = re.compile(r"\$\{([^}]*)(\}?)")
_DEEPEST = 5
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class BadReference(Exception):
    """A `${…}` that leads nowhere; it becomes a Problem where the setting is known."""

    def __init__(self, code: str, text: str, fix: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.fix = fix


@dataclass(frozen=True, slots=True)
class Variables:
    environ: Mapping[str, str] = field(repr=False)
    dotenv: Mapping[str, str] = field(repr=False)

    def expand(self, text: str) -> str:
        """`text` with every `${NAME}` filled in; a variable that is not set or empty is refused."""
        return self._expand(text, 0)

    def _lookup(self, name: str, depth: int) -> str | None:
        """A variable's value; one from `.env` with the variables it speaks of filled in."""
        if name in self.environ:
            return self.environ[name]
        if name not in self.dotenv:
            return None
        if depth == _DEEPEST:
            text = f"${{{name}}} in .env leads to itself or too far."
            raise BadReference("unset_variable", text, f"Give {name} its value directly.")
        return self._expand(self.dotenv[name], depth + 1)

    def _expand(self, text: str, depth: int) -> str:
        def fill(match: re.Match[str]) -> str:
            name, closed = match.groups()
            if not closed or not _NAME.fullmatch(name):
                # What stands behind the brace may be part of a secret, so it is not repeated.
                raise BadReference(
                    "bad_setting",
                    "${ is not followed by the name of a variable and }.",
                    "Write ${NAME}; a value that itself holds ${ goes into an environment variable.",
                )
            value = self._lookup(name, depth)
            if not value:
                state = "not set" if value is None else "empty"
                raise BadReference(
                    "unset_variable",
                    f"${{{name}}} is {state}.",
                    f"Set {name} in the environment, or in a file .env beside knowgate.toml.",
                )
            return value

        return _REFERENCE.sub(fill, text)

"""Where a value came from, and the value as it was written there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Origin:
    kind: Literal["default", "file", "dotenv", "env", "flag"]
    file: Path | None = None
    line: int | None = None
    name: str = ""

    @property
    def rank(self) -> tuple[int, int]:
        """Sorts by how strong the source is, then by line."""
        return ("default", "file", "dotenv", "env", "flag").index(self.kind), self.line or 0

    def __str__(self) -> str:
        match self.kind:
            case "file" | "dotenv":
                return f"{self.file}:{self.line}"
            case "env":
                return f"env {self.name}"
            case "flag":
                return f"flag {self.name}"
            case "default":
                return "default"


@dataclass(frozen=True, slots=True)
class Given:
    raw: object = field(repr=False)
    origin: Origin
    base: Path
    """Relative paths start here."""

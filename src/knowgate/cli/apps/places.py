"""Where AI apps keep the list of servers that they start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_STORE_CLAUDE = Path("Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming")
"""Claude from the Microsoft Store believes that this is its AppData."""


class AppName(StrEnum):
    claude_desktop = "claude-desktop"
    claude_code = "claude-code"
    cursor = "cursor"
    vscode = "vscode"
    kiro = "kiro"


@dataclass(frozen=True, slots=True)
class Machine:
    platform: str
    """As sys.platform has it."""
    home: Path
    environ: Mapping[str, str]

    @property
    def settings(self) -> Path:
        """Where programs with a window keep theirs."""
        match self.platform:
            case "win32":
                return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
            case "darwin":
                return self.home / "Library" / "Application Support"
            case _:
                return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True, slots=True)
class App:
    title: str
    user: Path
    project: Path | None
    """Below the project's folder."""
    below: str = "mcpServers"
    """Under which name the servers are listed."""
    typed: bool = False
    """Whether an entry says that it is one to be started."""


def find_app(name: AppName, machine: Machine) -> App:
    home = machine.home
    match name:
        case AppName.claude_desktop:
            return App("Claude Desktop", _claude_desktop(machine) / "claude_desktop_config.json", None)
        case AppName.claude_code:
            folder = Path(machine.environ.get("CLAUDE_CONFIG_DIR") or home)
            return App("Claude Code", folder / ".claude.json", Path(".mcp.json"), typed=True)
        case AppName.cursor:
            return App("Cursor", home / ".cursor" / "mcp.json", Path(".cursor/mcp.json"))
        case AppName.vscode:
            user = machine.settings / "Code" / "User" / "mcp.json"
            return App("VS Code", user, Path(".vscode/mcp.json"), below="servers", typed=True)
        case AppName.kiro:
            return App("Kiro", home / ".kiro" / "settings" / "mcp.json", Path(".kiro/settings/mcp.json"))


def _claude_desktop(machine: Machine) -> Path:
    if machine.platform == "win32":
        local = Path(machine.environ.get("LOCALAPPDATA") or machine.home / "AppData" / "Local")
        if (local / _STORE_CLAUDE).is_dir():
            return local / _STORE_CLAUDE / "Claude"
    return machine.settings / "Claude"

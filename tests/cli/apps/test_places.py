from __future__ import annotations

from pathlib import Path

import pytest

from knowgate.cli.apps.places import AppName, Machine, find_app

HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("platform", "environ", "claude", "vscode"),
    [
        ("linux", {}, ".config/Claude", ".config/Code/User"),
        ("linux", {"XDG_CONFIG_HOME": "/home/ada/.settings"}, ".settings/Claude", ".settings/Code/User"),
        ("darwin", {}, "Library/Application Support/Claude", "Library/Application Support/Code/User"),
        ("win32", {}, "AppData/Roaming/Claude", "AppData/Roaming/Code/User"),
        ("win32", {"APPDATA": "/home/ada/Roams"}, "Roams/Claude", "Roams/Code/User"),
    ],
)
def test_programs_with_a_window(platform, environ, claude, vscode):
    machine = Machine(platform, HOME, environ)
    assert find_app(AppName.claude_desktop, machine).user == HOME / claude / "claude_desktop_config.json"
    found = find_app(AppName.vscode, machine)
    assert found.user == HOME / vscode / "mcp.json"
    assert (found.project, found.below, found.typed) == (Path(".vscode/mcp.json"), "servers", True)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_those_that_keep_it_in_the_home_folder(platform):
    machine = Machine(platform, HOME, {})
    files = {name: find_app(name, machine).user for name in (AppName.claude_code, AppName.cursor, AppName.kiro)}
    assert files == {
        AppName.claude_code: HOME / ".claude.json",
        AppName.cursor: HOME / ".cursor/mcp.json",
        AppName.kiro: HOME / ".kiro/settings/mcp.json",
    }


def test_claude_code_in_another_folder():
    machine = Machine("linux", HOME, {"CLAUDE_CONFIG_DIR": "/srv/claude"})
    assert find_app(AppName.claude_code, machine).user == Path("/srv/claude/.claude.json")


def test_claude_from_the_store(tmp_path):
    machine = Machine("win32", HOME, {"LOCALAPPDATA": str(tmp_path)})
    folder = tmp_path / "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming"
    assert find_app(AppName.claude_desktop, machine).user.is_relative_to(HOME)
    folder.mkdir(parents=True)
    assert find_app(AppName.claude_desktop, machine).user == folder / "Claude/claude_desktop_config.json"

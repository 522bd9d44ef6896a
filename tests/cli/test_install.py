from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowgate.cli.apps.entries import this_program
from knowgate.cli.apps.places import AppName


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Of somebody with no apps yet."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "KNOWGATE_URL", "KNOWGATE_DATA"):
        monkeypatch.delenv(name, raising=False)
    return folder


def _args(path: Path, below: str = "mcpServers", name: str = "knowgate") -> list[str]:
    entry = json.loads(path.read_text(encoding="utf-8"))[below][name]
    words = [entry["command"], *entry["args"]]
    own = this_program()
    assert words[: len(own)] == own
    return words[len(own) :]


def test_once_and_again(cli, home):
    first = cli("mcp", "install", "--client", "cursor")
    file = home / ".cursor" / "mcp.json"
    assert (first.code, first.out) == (0, f"Cursor: written to {file}\n")
    assert _args(file) == ["mcp"]
    again = cli("mcp", "install", "--client", "cursor")
    assert (again.code, again.out) == (0, f"Cursor: is in {file} already\n")
    assert [each.name for each in file.parent.iterdir()] == ["mcp.json"]
    changed = cli("mcp", "install", "--client", "cursor", "--read-only", "--json")
    assert changed.json["installed"] == [
        {"client": "cursor", "file": str(file), "changed": True, "backup": f"{file}.knowgate.bak"}
    ]
    assert _args(file) == ["mcp", "--read-only"]


def test_every_app_at_once(cli, home):
    ran = cli("mcp", "install", *(word for app in AppName for word in ("--client", app)), "--toolset", "openrag")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == len(AppName)
    assert _args(home / ".claude.json") == ["mcp", "--toolset", "openrag"]
    assert _args(home / ".kiro/settings/mcp.json") == ["mcp", "--toolset", "openrag"]


def test_for_a_project(cli):
    clients = [app for app in AppName if app is not AppName.claude_desktop]
    ran = cli("mcp", "install", *(word for app in clients for word in ("--client", app)), "--project", "--name", "docs")
    assert ran.code == 0
    for file in (".mcp.json", ".cursor/mcp.json", ".kiro/settings/mcp.json"):
        assert _args(Path(file), name="docs") == ["mcp"]
    assert _args(Path(".vscode/mcp.json"), "servers", "docs") == ["mcp"]


def test_an_app_without_projects(cli):
    ran = cli("mcp", "install", "--client", "claude-desktop", "--project")
    assert ran.code == 2
    assert "no_project_file" in ran.err


def test_paths_are_told_whole(cli, home, tmp_path):
    (Path.cwd() / "knowgate.toml").write_text('data = "own"\n')
    file = home / ".cursor" / "mcp.json"
    cli("mcp", "install", "--client", "cursor")
    assert _args(file) == ["mcp", "--config", str(Path.cwd() / "knowgate.toml")]
    cli("mcp", "install", "--client", "cursor", "--data", "elsewhere")
    assert _args(file)[-2:] == ["--data", str(Path.cwd() / "elsewhere")]
    cli("--data", tmp_path / "before", "mcp", "install", "--client", "cursor")
    assert _args(file)[-2:] == ["--data", str(tmp_path / "before")]


def test_what_only_this_terminal_knows_is_told(cli, home, tmp_path, monkeypatch):
    monkeypatch.setenv("KNOWGATE_DATA", str(tmp_path / "data"))
    cli("mcp", "install", "--client", "cursor")
    assert _args(home / ".cursor/mcp.json") == ["mcp", "--data", str(tmp_path / "data")]


def test_a_server_elsewhere(cli, home):
    ran = cli("mcp", "install", "--client", "cursor", "--url", "https://docs.example.com")
    assert _args(home / ".cursor/mcp.json") == ["mcp", "--url", "https://docs.example.com"]
    assert "KNOWGATE_API_KEY" in ran.err


def test_shown_and_not_done(cli, home):
    ran = cli("mcp", "install", "--client", "vscode", "--print")
    assert json.loads(ran.out)["servers"]["knowgate"]["type"] == "stdio"
    assert not any(home.iterdir())


def test_a_refusal_changes_nothing(cli, home):
    commented = home / ".kiro/settings/mcp.json"
    commented.parent.mkdir(parents=True)
    commented.write_text("{} // mine", encoding="utf-8")
    ran = cli("mcp", "install", "--client", "cursor", "--client", "kiro")
    assert ran.code == 2
    assert str(commented) in ran.err
    assert "--print" in ran.err
    assert not (home / ".cursor").exists()
    assert commented.read_text(encoding="utf-8") == "{} // mine"


@pytest.mark.parametrize(
    "arguments",
    [("install",), ("install", "--client", "emacs"), ("--read-only", "install", "--client", "cursor"), ("uninstall",)],
    ids=" ".join,
)
def test_wrong_usage(cli, home, arguments):
    ran = cli("mcp", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert not any(home.iterdir())

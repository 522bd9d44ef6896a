from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from knowgate.cli.apps.check import app_checks
from knowgate.cli.apps.entries import this_program
from knowgate.cli.apps.places import AppName, Machine, find_app


@pytest.fixture
def machine(tmp_path):
    return Machine("linux", tmp_path / "home", {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")})


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _ours(tmp_path: Path) -> dict[str, object]:
    command, *args = this_program()
    return {"command": command, "args": [*args, "--data", str(tmp_path / "data"), "mcp"]}


def test_nobody_starts_us(machine, tmp_path):
    _write(tmp_path / "home/.cursor/mcp.json", '{"mcpServers": {"other": {"command": "nothing-of-ours"}}}')
    _write(tmp_path / "config/Code/User/mcp.json", "// nothing of ours either\n{}")
    [check] = app_checks(machine, tmp_path)
    assert (check.name, check.status) == ("AI apps", "ok")
    assert "knowgate mcp install" in check.found


def test_every_entry_of_ours_is_started(machine, tmp_path):
    gone = {"command": str(tmp_path / "gone" / "knowgate"), "args": ["mcp"]}
    servers = {"knowgate": _ours(tmp_path), "old": gone, "other": {"command": "nothing-of-ours"}}
    _write(find_app(AppName.claude_desktop, machine).user, json.dumps({"mcpServers": servers}))
    well, ill = app_checks(machine, tmp_path)
    assert (well.name, well.status) == ("Claude Desktop: knowgate", "ok")
    assert " answers in " in well.found
    assert well.found.endswith(" tools")
    assert (ill.name, ill.status) == ("Claude Desktop: old", "wrong")
    assert "There is no program" in ill.found


def test_a_file_with_comments_that_names_us(machine, tmp_path):
    _write(find_app(AppName.vscode, machine).user, '{"servers": {"knowgate": {}}} // mine')
    [check] = app_checks(machine, tmp_path)
    assert (check.name, check.status) == ("VS Code", "warning")
    assert "is not plain JSON" in check.found


def test_what_a_project_brings_is_not_run(machine, tmp_path):
    trace = tmp_path / "trace"
    touch = [sys.executable, "-c", f"open({str(trace)!r}, 'w')", "knowgate"]
    command, *args = this_program()
    servers = {
        "ours": _ours(tmp_path),
        "theirs": {"command": touch[0], "args": touch[1:]},
        "misused": {"command": command, "args": [*args, "--data", str(trace), "ingest", str(tmp_path)]},
    }
    _write(tmp_path / "project/.mcp.json", json.dumps({"mcpServers": servers}))
    checks = {check.name: check for check in app_checks(machine, tmp_path / "project")}
    assert [check.status for check in checks.values()] == ["ok", "warning", "warning"]
    assert "was not started" in checks["Claude Code: theirs"].found
    assert not trace.exists()

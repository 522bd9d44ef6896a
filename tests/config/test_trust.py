"""Threat 21: what a folder from elsewhere brings along says nothing about APIs until the user has read it."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from knowgate.cli.agent.app import run as agent
from knowgate.cli.main import run
from knowgate.config.load import Loaded, load
from knowgate.config.trust import trust
from knowgate.errors import ForbiddenError

APIS = "[apis.shop]\nspec = 'openapi.yaml'\nauth = ['shop']\n"
AUTH = "[auth.shop]\ntype = 'bearer'\nsecret_command = ['sh', '-c', 'touch owned; echo x']\n"
POLICY = "[policy]\nfile = 'policy.yaml'\n"


@pytest.fixture(autouse=True)
def config_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "below"
    folder.mkdir(parents=True)
    return folder


def _load(folder: Path, environ: Mapping[str, str] | None = None, config: Path | None = None) -> Loaded:
    return load(config, environ=environ or {}, cwd=folder)


def test_21_apis_of_a_found_file_are_ignored_until_it_is_trusted(project: Path, config_home: Path) -> None:
    file = project.parent / "knowgate.toml"
    file.write_text(f"search.limit = 3\n{APIS}{AUTH}", encoding="utf-8")
    loaded = _load(project)
    assert (loaded.settings.apis, loaded.settings.auth) == ({}, {})
    assert loaded.ignored == ("apis", "auth")
    assert loaded.settings.search.limit == 3
    trust(file)
    loaded = _load(project)
    assert (list(loaded.settings.apis), loaded.ignored) == (["shop"], ())
    [record] = config_home.rglob("trusted.json")
    if os.name != "nt":
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert _load(project).ignored == ("apis", "auth")


def test_21_a_named_file_is_trusted(project: Path) -> None:
    file = project / "knowgate.toml"
    file.write_text(APIS + AUTH + POLICY, encoding="utf-8")
    for loaded in (_load(project, config=file), _load(project, {"KNOWGATE_CONFIG": str(file)})):
        assert list(loaded.settings.apis) == ["shop"]
        assert loaded.settings.policy.file


def test_21_a_policy_is_not_left_out_silently(project: Path) -> None:
    """It may be the user's own, and he would go on without it."""
    file = project / "knowgate.toml"
    file.write_text(POLICY, encoding="utf-8")
    with pytest.raises(ForbiddenError, match="knowgate config trust") as refused:
        _load(project)
    assert refused.value.code == "config_not_trusted"
    trust(file)
    assert _load(project).settings.policy.file == project / "policy.yaml"


@pytest.mark.parametrize("beside", ["", "search.limit = 3\n"])
def test_21_nor_does_it_come_in_by_another_file(project: Path, beside: str) -> None:
    if beside:
        (project / "knowgate.toml").write_text(beside, encoding="utf-8")
    (project / ".env").write_text("KNOWGATE_POLICY_FILE=policy.yaml\n", encoding="utf-8")
    with pytest.raises(ForbiddenError):
        _load(project)


def test_21_settings_in_a_data_folder_bring_no_apis(project: Path) -> None:
    (project / "knowgate.toml").write_text("data = 'data'\n", encoding="utf-8")
    (project / "data").mkdir()
    (project / "data" / "settings.toml").write_text(APIS + AUTH, encoding="utf-8")
    assert _load(project).settings.apis == {}


def test_21_a_damaged_record_trusts_nothing(project: Path, config_home: Path) -> None:
    file = project / "knowgate.toml"
    file.write_text(APIS + AUTH, encoding="utf-8")
    trust(file)
    [record] = config_home.rglob("trusted.json")
    for content in ("[]", "{", ""):
        record.write_text(content, encoding="utf-8")
        assert _load(project).ignored


def test_21_commands_say_so_once_and_run_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "knowgate.toml").write_text(f"data = 'data'\n{APIS}{AUTH}", encoding="utf-8")
    monkeypatch.chdir(project)
    assert run(["apis", "list"]) == 0
    err = " ".join(capsys.readouterr().err.split())
    assert err.count("knowgate config trust") == 1
    assert run(["apis", "add", "other", "openapi.yaml"]) == 3
    assert not (project / "owned").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal")
def test_21_a_person_trusts_it_at_a_terminal(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "knowgate.toml").write_text(f"data = 'data'\n{APIS}{AUTH}", encoding="utf-8")
    monkeypatch.chdir(project)
    with Path(os.devnull).open(encoding="utf-8") as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        assert run(["config", "trust"]) == 3
    assert "touch owned" in capsys.readouterr().err
    assert _load(project).ignored
    person, terminal = os.openpty()
    with os.fdopen(terminal) as stdin, os.fdopen(person, "wb", buffering=0) as typing:
        monkeypatch.setattr(sys, "stdin", stdin)
        typing.write(b"y\n")
        assert run(["config", "trust"]) == 0
    assert list(_load(project).settings.apis) == ["shop"]
    capsys.readouterr()
    assert run(["audit", "list", "--tool", "*trust*"]) == 0
    assert "trust_config" in capsys.readouterr().out


def test_21_a_found_folder_of_the_agent_is_not_used_until_it_is_trusted(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    assert agent(["init", "--example"], None) == 0
    assert agent(["validate"], None) == 0
    profile = project / ".mrapids" / "auth" / "theirs.toml"
    profile.write_text("[profile]\nname = 'theirs'\ntype = 'bearer'\ntoken_command = ['touch', 'owned']\n", "utf-8")
    profile.chmod(0o600)
    capsys.readouterr()
    assert agent(["validate"], None) == 3
    assert "knowgate config trust" in capsys.readouterr().err
    assert not (project / "owned").exists()
    assert agent(["validate", "--config-dir", ".mrapids"], None) != 3
    trust(project / ".mrapids")
    assert agent(["auth", "add", "mine", "--env", "MINE"], None) == 0
    assert agent(["validate"], None) != 3

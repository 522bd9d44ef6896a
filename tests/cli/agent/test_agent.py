"""`mrapids-agent` as people and scripts use it."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from tests.cli.conftest import Ran

from knowgate.cli.agent.app import run
from knowgate.cli.agent.checking import exit_code
from knowgate.cli.agent.example import EXAMPLE
from knowgate.cli.agent.folder import read_folder
from knowgate.cli.agent.settings import load_settings
from knowgate.config.trust import trust
from knowgate.doors.rpc.agent import AgentEngine
from knowgate.errors import ForbiddenError, NetworkError

SCRIPT = [sys.executable, "-c", "from knowgate.cli.start import mrapids_agent; mrapids_agent()"]
Agent = Callable[..., Ran]


@pytest.fixture
def agent(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments], None)
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return call


@pytest.fixture
def nobody() -> Iterator[str]:
    """A port where nobody listens; on the example's own somebody may try it out."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield str(held.getsockname()[1])


@pytest.fixture
def folder(agent: Agent, tmp_path: Path) -> Path:
    made = agent("init", "--example", "--port", "0")
    assert made.code == 0, made.err
    assert "4 operations" in made.out
    return tmp_path / ".mrapids"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such modes")
def test_the_folder_is_for_its_owner_only(folder: Path):
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_what_is_there_is_not_replaced_by_accident(agent: Agent, folder: Path):
    (folder / "policy.yaml").write_text("# mine\n", encoding="utf-8")
    assert agent("init", "--example").code == 8
    assert (folder / "policy.yaml").read_text(encoding="utf-8") == "# mine\n"
    assert agent("init", "--example", "--force").code == 0
    [backup] = (folder / ".backups").iterdir()
    assert (backup / "policy.yaml").read_text(encoding="utf-8") == "# mine\n"
    assert (backup / "api.yaml").exists()
    assert "mine" not in (folder / "policy.yaml").read_text(encoding="utf-8")


def test_init_wants_one_description(agent: Agent, tmp_path: Path):
    assert agent("init").code == 2
    assert agent("init", "--spec", "nowhere.yaml").code == 2
    (tmp_path / "bad.yaml").write_text("a: 1", encoding="utf-8")
    assert agent("init", "--spec", "bad.yaml").code == 7
    assert not (tmp_path / ".mrapids").exists()


def test_what_keeps_calls_from_being_sent_is_told_at_once(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("HUB_TOKEN", raising=False)
    (tmp_path / "books.yaml").write_text(EXAMPLE, encoding="utf-8")
    for made in (agent("init", "--spec", "books.yaml"), agent("validate")):
        assert made.code == 0
        assert "127.0.0.1 is not on the public internet" in made.err
        assert "set allow_private = true under [security]" in made.err
    config = tmp_path / ".mrapids" / "mcp-server.toml"
    text = config.read_text(encoding="utf-8").replace("allow_private = false", "allow_private = true")
    config.write_text(text, encoding="utf-8")
    trust(config.parent)
    added = agent("auth", "add", "hub", "--env", "HUB_TOKEN")
    assert 'auth_profile = "hub" under [defaults]' in added.err
    assert "HUB_TOKEN" not in agent("validate").err
    config.write_text(text.replace('# auth_profile = "github"', 'auth_profile = "hub"'), encoding="utf-8")
    trust(config.parent)
    said = agent("validate")
    assert (said.code, said.out) == (0, "Valid: 4 operations\n")
    assert "set the environment variable HUB_TOKEN" in said.err
    assert "allow_private" not in said.err
    monkeypatch.setenv("HUB_TOKEN", "x")
    assert agent("validate").err == ""


def test_a_description_without_a_server_is_told_at_once(agent: Agent, tmp_path: Path):
    (tmp_path / "books.yaml").write_text(EXAMPLE.replace("http://127.0.0.1:4010", "/v1"), encoding="utf-8")
    assert "Set base_url under [defaults]" in agent("init", "--spec", "books.yaml").err
    assert "Set base_url under [defaults]" in agent("validate").err


def test_validate(agent: Agent, folder: Path):
    assert agent("validate").out == "Valid: 4 operations\n"
    (folder / "policy.yaml").write_text("rulez: []\n", encoding="utf-8")
    wrong = agent("validate")
    assert wrong.code == 7
    assert "policy.yaml" in wrong.err
    assert agent("validate", "--spec-only").code == 0
    (folder / "api.yaml").write_text("openapi: 3.1.0\npaths: {}\n", encoding="utf-8")
    assert agent("validate", "--spec-only").code == 7


def test_apis_of_a_project_above_are_not_the_agent_s(agent: Agent, folder: Path, tmp_path: Path):
    (tmp_path / "pets.yaml").write_text(EXAMPLE.replace("listBooks", "listPets"), encoding="utf-8")
    (tmp_path / "knowgate.toml").write_text("[apis.pets]\nspec = 'pets.yaml'\n", encoding="utf-8")
    trust(tmp_path / "knowgate.toml")
    assert list(load_settings(read_folder(None)).apis) == ["api"]
    assert agent("validate").out == "Valid: 4 operations\n"


def test_policy_test(agent: Agent, folder: Path, tmp_path: Path):
    case = """
- name: reading
  request: {operation_id: listBooks}
  url: http://127.0.0.1:4010/books
  context: {method: GET}
  expected: {decision: DECISION}
"""
    (tmp_path / "cases.yaml").write_text(case.replace("DECISION", "allow"), encoding="utf-8")
    assert agent("policy", "test", "cases.yaml").code == 0
    (tmp_path / "cases.yaml").write_text(case.replace("DECISION", "deny"), encoding="utf-8")
    failed = agent("policy", "test", "cases.yaml")
    assert failed.code == 7
    assert "expected deny" in failed.out


def test_profiles_name_secrets_and_never_hold_them(agent: Agent, folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HUB_TOKEN", "gh-canary-canary")
    assert agent("auth", "add", "hub", "--env", "HUB_TOKEN").code == 0
    assert agent("auth", "add", "hub", "--env", "HUB_TOKEN").code == 8
    assert agent("auth", "add", "me", "--env", "PW", "--type", "basic").code == 2
    assert agent("auth", "add", "me", "--env", "PW", "--type", "basic", "--user", "ann").code == 0
    listed = agent("auth", "list")
    assert listed.out == "hub  bearer  HUB_TOKEN is set\nme  basic  PW is not set\n"
    shown = agent("auth", "show", "hub")
    assert 'secret_env = "HUB_TOKEN"' in shown.out
    assert "canary" not in listed.out + shown.out + (folder / "auth" / "hub.toml").read_text(encoding="utf-8")
    assert agent("auth", "remove", "hub").code == 0
    assert agent("auth", "show", "hub").code == 9


@pytest.fixture
def started(tmp_path: Path, folder: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Commands in processes of their own; whatever was started is stopped."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*SCRIPT, *arguments], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    yield call
    call("stop", "--force")


def test_a_life_in_the_background(
    started: Callable[..., subprocess.CompletedProcess[str]], agent: Agent, folder: Path, nobody: str
):
    described = folder / "api.yaml"
    described.write_text(described.read_text(encoding="utf-8").replace("4010", nobody), encoding="utf-8")
    trust(folder)
    assert agent("status").code == 4
    begun = started("start", "--daemon")
    assert begun.returncode == 0, begun.stderr + (folder / "mrapids-agent.log").read_text(encoding="utf-8")
    url = begun.stdout.split()[2]
    assert url in agent("status").out
    assert started("start").returncode == 8
    port = url.rpartition(":")[2]
    listed = agent("test", "--list")
    assert "listBooks  GET /books  List the books\n" in listed.out
    assert agent("test", "--list", "--port", port).out == listed.out
    # The port that it was given counts before the one where it listens.
    assert agent("test", "--list", "--port", "9").code == 4
    # Nothing serves the example's API, and a person would have to approve what writes.
    assert agent("test", "--operation", "listBooks", "--port", port).code == 4
    asked = agent("test", "--operation", "removeBook", "--params", '{"id": 1}', "--port", port)
    assert asked.code == 3
    assert "1011" in asked.err
    assert f"--data {folder / 'data'}`" in asked.err
    assert agent("test", "--operation", "none", "--port", port).code == 7
    logs = agent("logs").out.splitlines()
    assert any("error" in line and "listBooks" in line for line in logs)
    assert "removeBook" in agent("logs", "--level", "warn", "--search", "removeBook").out
    assert agent("logs", "--tail", "1").out.count("\n") == 1
    assert started("stop").stdout == "Stopped\n"
    assert agent("status").code == 4
    assert not (folder / "mrapids-agent.pid").exists()


def test_an_api_on_a_private_address(agent: Agent, tmp_path: Path, nobody: str):
    (tmp_path / "books.yaml").write_text(EXAMPLE.replace("4010", nobody), encoding="utf-8")
    assert agent("init", "--spec", "books.yaml", "--port", "0").code == 0
    mrapids = read_folder(None)
    with AgentEngine(mrapids, load_settings(mrapids)) as engine, pytest.raises(ForbiddenError) as refused:
        engine.run_operation("listBooks")
    assert refused.value.code == "private_address"
    assert "allow_private = true under [security] in" in refused.value.fix
    assert "mcp-server.toml, run `knowgate config trust" in refused.value.fix
    assert agent("init", "--spec", "books.yaml", "--port", "0", "--force", "--allow-private").code == 0
    mrapids = read_folder(None)
    with AgentEngine(mrapids, load_settings(mrapids)) as engine, pytest.raises(NetworkError):
        engine.run_operation("listBooks")


@pytest.mark.parametrize(
    ("number", "code"),
    [(1001, 3), (1020, 5), (2001, 3), (3004, 7), (4001, 4), (4400, 7), (4500, 6), (5001, 1), (-32602, 1)],
)
def test_exit_codes(number: int, code: int):
    assert exit_code(number) == code


def test_unknown_commands(agent: Agent):
    assert agent("fly").code == 2
    assert agent("validate").code == 2


def test_a_description_in_json(agent: Agent, tmp_path: Path):
    paths = {"/books": {"get": {"operationId": "listBooks", "responses": {"200": {"description": "All"}}}}}
    described = {"openapi": "3.1.0", "info": {"title": "Books", "version": "1"}, "paths": paths}
    (tmp_path / "books.json").write_bytes(orjson.dumps(described))
    assert agent("init", "--spec", "books.json").code == 0
    assert (tmp_path / ".mrapids" / "api.json").exists()
    assert agent("validate").code == 0

"""Whoever changes what may be done, or tries to, is on record; and credentials go nowhere new without a yes."""

from __future__ import annotations

import io
import json
import os
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from knowgate import Engine
from knowgate.cli.main import run
from knowgate.config.settings import Settings

Cli = Callable[..., int]
SPEC = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "x"}}}}},
}
FIRST, SECOND = "https://pets.example", "https://other.example"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PETS_TOKEN", "a-token-of-some-length")
    Path("pets.json").write_text(json.dumps(SPEC), encoding="utf-8")
    Path("knowgate.toml").write_text(
        "data = 'data'\n[auth.pets]\ntype = 'bearer'\nsecret_env = 'PETS_TOKEN'\n", encoding="utf-8"
    )

    def call(*command: str) -> int:
        return run(["--config", "knowgate.toml", *command])

    return call


@pytest.fixture
def records(tmp_path: Path) -> Callable[[str], list[dict[str, Any]]]:
    def find(tool: str) -> list[dict[str, Any]]:
        with Engine(Settings(data=tmp_path / "data")) as engine:
            return [dict(each) for each in engine.audit(limit=100).records if each["tool"] == f"knowgate_{tool}"]

    return find


def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))


def _add(cli: Cli, name: str, base: str, *more: str) -> int:
    return cli("apis", "add", name, "pets.json", "--base-url", base, "--auth", "pets", *more)


def test_an_api_that_is_added(cli: Cli, records: Callable[[str], list[dict[str, Any]]]) -> None:
    assert _add(cli, "pets", FIRST) == 0
    assert _add(cli, "pets", FIRST) != 0
    failed, done = records("add_api")
    assert done["operation"]["parameters"]["base_url"] == FIRST
    assert (done["response"]["status"], failed["response"]["error"]) == ("success", "api_exists")


def test_keys_and_the_kill_switch(cli: Cli, records: Callable[[str], list[dict[str, Any]]]) -> None:
    assert cli("keys", "create", "ann") == 0
    assert cli("keys", "revoke", "ann") == 0
    assert cli("policy", "stop") == 0
    assert [each["response"]["status"] for each in records("edit_keys")] == ["success", "success"]
    assert [each["response"]["status"] for each in records("stop")] == ["success"]


def test_what_only_a_person_may_do_and_none_was_there(
    cli: Cli, records: Callable[[str], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _add(cli, "pets", FIRST) == 0
    cli("apis", "list")
    changed = {**SPEC, "paths": {"/cats": SPEC["paths"]["/pets"]}}  # type: ignore[index]
    Path("pets.json").write_text(json.dumps(changed), encoding="utf-8")
    for command, tool in ((("policy", "resume"), "resume"), (("apis", "accept", "pets"), "accept_operations")):
        _nobody(monkeypatch)
        assert cli(*command) == 3
        assert records(tool)[0]["response"]["error"] == "no_person"


def test_credentials_are_not_sent_elsewhere_without_a_yes(
    cli: Cli,
    records: Callable[[str], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _add(cli, "pets", FIRST) == 0
    assert _add(cli, "same", FIRST) == 0
    assert records("extend_profile") == []
    capsys.readouterr()
    _nobody(monkeypatch)
    assert _add(cli, "evil", SECOND) == 3
    told = " ".join(capsys.readouterr().err.split())
    assert f"The credentials pets are for {FIRST}. Now they would go to {SECOND}, too." in told
    assert "evil" not in Path("knowgate.toml").read_text(encoding="utf-8")
    assert records("extend_profile")[0]["response"]["error"] == "no_person"
    assert records("add_api")[0]["response"]["error"] == "no_person"
    assert _add(cli, "fine", SECOND, "--yes") == 0
    record = records("extend_profile")[0]
    assert record["operation"]["parameters"] == {"profile": "pets", "from": [FIRST], "to": [SECOND]}
    assert record["response"]["status"] == "success"


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal")
@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 1), (b"y\n", 0)])
def test_a_person_decides_where_they_go(cli: Cli, monkeypatch: pytest.MonkeyPatch, answer: bytes, code: int) -> None:
    assert _add(cli, "pets", FIRST) == 0
    person, terminal = os.openpty()
    with os.fdopen(terminal) as stdin, os.fdopen(person, "wb", buffering=0) as typing:
        monkeypatch.setattr(sys, "stdin", stdin)
        typing.write(answer)
        assert (_add(cli, "other", SECOND) == 0) is (code == 0)
    assert ("[apis.other]" in Path("knowgate.toml").read_text(encoding="utf-8")) is (code == 0)


def test_a_profile_with_origins_of_its_own_is_not_extended(
    cli: Cli, records: Callable[[str], list[dict[str, Any]]]
) -> None:
    text = Path("knowgate.toml").read_text(encoding="utf-8")
    Path("knowgate.toml").write_text(f"{text}origins = ['{FIRST}']\n", encoding="utf-8")
    assert _add(cli, "other", SECOND) == 0
    assert records("extend_profile") == []


def test_a_description_that_cannot_be_read_now_is_no_way_around_the_question(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("evil.json").write_text(json.dumps(SPEC), encoding="utf-8")
    assert _add(cli, "first", FIRST) == 0
    Path("pets.json").rename("moved.json")
    _nobody(monkeypatch)
    assert cli("apis", "add", "evil", "evil.json", "--base-url", SECOND, "--auth", "pets") == 3


def test_what_was_wrong_at_first_can_be_added_when_it_is_right(cli: Cli) -> None:
    broken = {**SPEC, "paths": {"/pets": {"get": 5}}}
    Path("shop.json").write_text(json.dumps(broken), encoding="utf-8")
    assert cli("apis", "add", "shop", "shop.json", "--base-url", FIRST) == 7
    Path("shop.json").write_text(json.dumps(SPEC), encoding="utf-8")
    assert cli("apis", "add", "shop", "shop.json", "--base-url", FIRST) == 0


def test_a_profile_that_is_not_there_spoils_one_api_and_no_other(cli: Cli) -> None:
    assert _add(cli, "first", FIRST) == 0
    assert cli("apis", "add", "second", "pets.json", "--base-url", SECOND, "--auth", "nope", "--yes") == 0
    settings = tomllib.loads(Path("knowgate.toml").read_text(encoding="utf-8"))
    with Engine(Settings.model_validate(settings)) as engine:
        assert len(engine.describe_operations([each.operation_id for each in engine.operations().operations])) == 2


def test_an_api_without_a_server_spoils_no_policy(cli: Cli) -> None:
    assert cli("apis", "add", "first", "pets.json") == 0
    for command in ("check", "suggest"):
        assert cli("policy", command) == 0

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from knowgate import __version__
from knowgate.engine import Engine

HEAVY = ("rich", "pydantic", "apsw", "numpy", "orjson", "uvicorn", "fastapi", "watchfiles", "knowgate.engine")


def test_starting_imports_nothing_heavy():
    code = f"import sys, knowgate.cli.main; print([name for name in {HEAVY} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_version(cli: Callable[..., object]):
    assert cli("--version").out == f"knowgate {__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_goes_to_stdout(cli, arguments):
    ran = cli(*arguments)
    assert ran.code == 0
    assert "Begin with: knowgate ingest FOLDER" in ran.out
    assert not ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["serach", "x"], "Did you mean 'search'?"),
        (["search"], "QUERY"),
        (["search", "x", "--mode", "psychic"], "psychic"),
        (["search", "x", "--limit", "many"], "--limit"),
        (["stats", "--nope"], "--nope"),
    ],
)
def test_wrong_usage_is_exit_code_2(cli, arguments, told):
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert "--help`" in ran.err


def test_errors_say_what_and_how_to_fix_it(cli, tmp_path):
    ran = cli("ingest", "nowhere.md", "--data", tmp_path / "data")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "Error [file_not_found]: There is no file or folder nowhere.md.\n"
        "Fix: Check the spelling and the working directory.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["ingest", "nowhere.md"], "file_not_found", 2),
        (["show", "nothing"], "document_not_found", 9),
        (["tasks", "cancel", "nothing"], "task_not_found", 9),
        (["search", " "], "empty_query", 2),
        (["search", "x", "--since", "yesterday"], "bad_date", 2),
        (["search", "x", "--field", "author"], "bad_field", 2),
        (["documents", "--cursor", "é"], "bad_cursor", 2),
        (["stats", "--wat"], "usage", 2),
        (["--config", "missing.toml", "config"], "config_not_found", 2),
    ],
)
def test_json_errors(cli, tmp_path, arguments, code, exit_code):
    ran = cli("--data", tmp_path / "data", *arguments, "--json")
    error = orjson.loads(ran.err)
    assert set(error) == {"error", "code", "fix"}
    assert (error["code"], ran.code, ran.out) == (code, exit_code, "")


@pytest.mark.parametrize("bad", ["caf\udce9.md", "\ud800"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest"],
        ["search"],
        ["search", "x", "--owner"],
        ["documents"],
        ["documents", "--cursor"],
        ["show"],
        ["delete"],
        ["tasks", "show"],
        ["export"],
        ["--data"],
    ],
    ids=" ".join,
)
def test_bytes_that_are_no_text_are_refused_everywhere(cli, tmp_path, arguments, bad):
    ran = cli("--json", "--data", tmp_path / "data", *arguments, bad)
    error = orjson.loads(ran.err)
    assert (error["code"], ran.code) == ("bad_name", 2)
    assert "\\ud" in error["error"]
    assert not (tmp_path / "data").exists()


@pytest.mark.embedded
def test_a_folder_that_cannot_be_one(cli, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    ran = cli("stats", "--data", tmp_path / "file" / "data", "--json")
    assert (ran.code, orjson.loads(ran.err)["code"]) == (6, "cannot_create_folder")


def test_a_bug_is_called_one(cli, tmp_path, monkeypatch):
    def broken(_: Engine) -> None:
        raise RuntimeError("the wheels came off\nsecret")

    monkeypatch.setattr(Engine, "stats", broken)
    ran = cli("stats", "--data", tmp_path)
    assert ran.code == 1
    assert ran.err.startswith("Error [internal_error]: RuntimeError: the wheels came off\nFix: This is a bug")
    assert "Traceback" not in ran.err
    monkeypatch.setenv("KNOWGATE_DEBUG", "1")
    assert "Traceback" in cli("stats", "--data", tmp_path).err


def test_options_before_and_after_the_command(cli, tmp_path):
    assert cli("--data", tmp_path / "a", "--json", "stats").json["data"] == str(tmp_path / "a")
    assert cli("--data", tmp_path / "a", "stats", "--data", tmp_path / "b", "--json").json["data"] == str(
        tmp_path / "b"
    )
    assert cli("tasks", "--data", tmp_path / "a", "list", "--json").json == {"tasks": []}


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently there")
def test_a_reader_that_had_enough(shop_data: Path):
    command = f"'{sys.executable}' -m knowgate search '*' --limit 100 --data '{shop_data}' | head -1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert ran.stdout.startswith("1. architecture.md")
    assert "Error" not in ran.stderr
    assert "Exception" not in ran.stderr


def test_a_terminal_that_knows_no_check_marks(shop_data: Path):
    ran = subprocess.run(
        [sys.executable, "-m", "knowgate", "search", "Wie lange habe ich Zeit", "--data", str(shop_data)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert ran.returncode == 0
    assert b"rueckgabe.md" in ran.stdout
    assert ran.stdout.isascii()

from __future__ import annotations

from pathlib import Path

import pytest

from knowgate.config.files import read_config, read_dotenv
from knowgate.config.leaves import leaves
from knowgate.config.problems import Problem
from knowgate.config.sources import RESERVED, from_dotenv, from_environ, from_file, from_flags

LEAVES = leaves()


def file_problems(folder: Path, text: str) -> list[Problem]:
    path = folder / "knowgate.toml"
    path.write_text(text, encoding="utf-8")
    return from_file(read_config(path), LEAVES)[1]


@pytest.mark.parametrize(
    ("text", "line", "said", "meant"),
    [
        ("dat = 'x'", 1, "dat", "Did you mean data?"),
        ("\n[chunk]\ntokns = 5", 3, "chunk.tokns", "Did you mean chunk.tokens?"),
        ("[chunks]\ntokens = 5", 1, "chunks", "Did you mean chunk?"),
        ("chunks.tokens = 5", 1, "chunks", "Did you mean chunk?"),
        ("limit = 5", 1, "limit", "Did you mean search.limit?"),
        ("embedder = { modell = 'x' }", 1, "embedder.modell", "Did you mean embedder.model?"),
        ("[search]\ndata = 'x'", 2, "search.data",
         "Did you mean data? Settings of the top level stand above the first [table]."),
        ("chunk_tokens = 5", 1, "chunk_tokens", "Did you mean chunk.tokens?"),
        ("[[zzz]]\n[[zzz]]", 1, "zzz", "Remove it; `knowgate config` lists every setting."),
        ('"chunk.tokens" = 5', 1, '"chunk.tokens"', "Did you mean chunk.tokens?"),
        ('"\\u001b[31m" = 5', 1, '"\\u001b[31m"', "Remove it; `knowgate config` lists every setting."),
        ("[embedder.openai]\nmodel = 'x'", 1, "embedder.openai", "Remove it; `knowgate config` lists every setting."),
    ],
)  # fmt: skip
def test_unknown_keys_of_a_file(tmp_path: Path, text: str, line: int, said: str, meant: str):
    (problem,) = file_problems(tmp_path, text)
    assert (problem.code, problem.where.line) == ("unknown_setting", line)
    assert problem.text == f"There is no setting {said}."
    assert problem.fix == meant


@pytest.mark.parametrize("text", ["chunk = 5", "[[chunk]]\ntokens = 5", "chunk = []"])
def test_a_table_must_be_a_table(tmp_path: Path, text: str):
    (problem,) = file_problems(tmp_path, text)
    assert (problem.code, problem.where.line) == ("bad_setting", 1)
    assert problem.text == "chunk must be a table."


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("KNOWGATE_EMBEDER_MODEL", "Did you mean KNOWGATE_EMBEDDER_MODEL?"),
        ("KNOWGATE_CONFG", "Did you mean KNOWGATE_CONFIG?"),
        ("KNOWGATE_", "Unset it; `knowgate config` lists every setting."),
        ("KNOWGATE_SOMETHING_ELSE_ENTIRELY", "Unset it; `knowgate config` lists every setting."),
    ],
)
def test_unknown_names_of_the_environment(tmp_path: Path, name: str, fix: str):
    given, (problem,) = from_environ({name: "x", "PATH": "y", "knowgate_data": "z"}, LEAVES, tmp_path)
    assert given == {}
    assert problem.code == "unknown_setting"
    assert name in problem.text
    assert problem.fix == fix


def test_reserved_names_are_left_alone(tmp_path: Path):
    assert from_environ(dict.fromkeys(RESERVED, "x"), LEAVES, tmp_path) == ({}, [])


def test_every_setting_can_come_from_the_environment(tmp_path: Path):
    given, problems = from_environ({leaf.env: "x" for leaf in LEAVES}, LEAVES, tmp_path)
    assert set(given) == {leaf.key for leaf in LEAVES}
    assert problems == []


def test_dotenv_has_lines_and_its_own_base(tmp_path: Path):
    (tmp_path / ".env").write_text("X=1\nKNOWGATE_DATA=kb\nKNOWGATE_DATUM=1\n", encoding="utf-8")
    given, (problem,) = from_dotenv(read_dotenv(tmp_path), LEAVES)
    assert given["data"].base == tmp_path
    assert str(given["data"].origin) == f"{tmp_path / '.env'}:2"
    assert str(problem.where) == f"{tmp_path / '.env'}:3"
    assert problem.fix == "Did you mean KNOWGATE_DATA?"


def test_dotenv_cannot_name_the_file(tmp_path: Path):
    (tmp_path / ".env").write_text("KNOWGATE_CONFIG=x.toml\n", encoding="utf-8")
    _, (problem,) = from_dotenv(read_dotenv(tmp_path), LEAVES)
    assert "no effect" in problem.text


def test_flags(tmp_path: Path):
    given, problems = from_flags({"search.limit": 5, "data": None, "serch.limit": 1}, LEAVES, tmp_path)
    assert list(given) == ["search.limit"]
    assert [problem.fix for problem in problems] == ["Did you mean search.limit?"]

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from knowgate.config.leaves import leaves
from knowgate.config.origins import Given, Origin
from knowgate.config.problems import Problem
from knowgate.config.values import convert, env_text, mismatch, toml_text
from knowgate.config.variables import Variables

LEAVES = {leaf.key: leaf for leaf in leaves()}
BASE = Path.cwd() / "base"


def converted(key: str, raw: object, kind: Literal["file", "env", "flag"] = "env", **environ: str) -> object:
    return convert(LEAVES[key], Given(raw, Origin(kind), BASE), Variables(environ, {}))


@pytest.mark.parametrize(
    ("key", "raw", "value"),
    [
        ("chunk.tokens", " 300 ", 300),
        ("chunk.tokens", "lots", "lots"),
        ("parse.timeout_seconds", "1.5", 1.5),
        ("parse.ocr", "TRUE", True),
        ("parse.ocr", "off", False),
        ("parse.ocr", "maybe", "maybe"),
        ("ingest.exclude", "a, b ,,c", ("a", "b", "c")),
        ("ingest.exclude", "", ()),
        ("embedder.query_prefix", " kept: ", " kept: "),
        ("embedder.model", "123", "123"),
        ("docs", "x,y", (BASE / "x", BASE / "y")),
    ],
)
def test_texts_become_what_they_mean(key: str, raw: str, value: object):
    assert converted(key, raw, "env") == value
    assert converted(key, raw, "flag") == value


@pytest.mark.parametrize(("key", "raw"), [("chunk.tokens", "300"), ("parse.ocr", "true"), ("ingest.exclude", "a,b")])
def test_a_file_has_types_of_its_own(key: str, raw: str):
    assert converted(key, raw, "file") == raw


def test_paths_start_at_their_base(tmp_path: Path):
    assert converted("data", "x/../y", "file") == BASE / "y"
    assert converted("data", str(tmp_path), "file") == tmp_path
    assert converted("data", Path("z"), "flag") == BASE / "z"
    assert converted("data", "~/kb", "file") == Path.home() / "kb"
    assert converted("docs", ["x", 3], "file") == (BASE / "x", 3)


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "~nobody-of-that-name-here/x"])
def test_what_is_no_path_stays_a_text_for_the_models_to_refuse(path: str):
    value = converted("data", path, "file")
    # Windows takes any ~name for a folder beside the home folder.
    assert value == path or (path.startswith("~") and isinstance(value, Path))


def test_references_are_filled_in_everywhere():
    assert converted("docs", ["${A}", "b"], "file", A="a") == (BASE / "a", BASE / "b")
    assert converted("server.port", "${PORT}", "env", PORT="80") == 80
    assert converted("ingest.exclude", "${LIST}", "env", LIST="a,b") == ("a", "b")
    key = converted("embedder.api_key", "${KEY}", "file", KEY="sk-1")
    assert isinstance(key, SecretStr)
    assert key.get_secret_value() == "sk-1"


def test_an_unset_variable_is_a_problem():
    problem = converted("embedder.api_key", "${KEY}", "file")
    assert isinstance(problem, Problem)
    assert problem.code == "unset_variable"
    assert "embedder.api_key" in problem.text


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("file", "Write for example tokens = 250"),
        ("env", "Write for example KNOWGATE_CHUNK_TOKENS=250"),
        ("dotenv", "Write for example KNOWGATE_CHUNK_TOKENS=250"),
        ("flag", "Write for example 250"),
    ],
)
def test_the_fix_is_written_as_its_source_writes(kind: Literal["file", "env", "dotenv", "flag"], fix: str):
    problem = mismatch(LEAVES["chunk.tokens"], 5, Origin(kind))
    assert problem.text == "chunk.tokens is 5, but must be a whole number from 32 to 2000."
    assert problem.fix == fix


def test_the_nearest_choice_is_the_example():
    assert mismatch(LEAVES["embedder.provider"], "olama", Origin("file")).fix.endswith('provider = "ollama"')


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("embedder.api_key", ["sk-1"]),
        ("embedder.base_url", "http://me:sk-1@host"),
        ("data", {"k": "sk-1"}),
        ("store.url", ["http://me:sk-1@host"]),
        ("server.port", [["http://me:sk-1@host" + "/x" * 50]]),
    ],
)
def test_problems_do_not_repeat_secrets(key: str, value: object):
    problem = mismatch(LEAVES[key], value, Origin("file"))
    assert "sk-1" not in problem.text + problem.fix


@pytest.mark.parametrize(
    "value", ["\x1b[31m", "\udcff", "\x9b", "\u202e", "x" * 10_000, 1 << 100_000, float("nan")], ids=range(7)
)
def test_strange_values_are_told_safely(value: object):
    text = mismatch(LEAVES["search.limit"], value, Origin("file")).text
    assert text.isprintable()
    assert len(text) < 200


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_survive_toml(text: str):
    assert tomllib.loads(f"a = {toml_text(text)}") == {"a": text}


@given(st.recursive(st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False), st.lists))
def test_other_values_survive_toml(value: object):
    assert tomllib.loads(f"a = {toml_text(value)}") == {"a": value}


def test_windows_paths_are_readable():
    assert toml_text("C:\\Users\\me") == "'C:\\Users\\me'"
    assert toml_text("C:\\it's") == '"C:\\\\it\'s"'


def test_environment_texts():
    assert env_text(("a", Path("b"))) == "a,b"
    assert env_text(True) == "true"
    assert env_text(60.0) == "60"

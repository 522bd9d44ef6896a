from __future__ import annotations

import os
from pathlib import Path

import pytest

from knowgate.config.files import find_config, read_config, read_dotenv
from knowgate.errors import InputError


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_config(path)
    assert caught.value.fix
    return caught.value


def test_the_nearest_file_at_or_above_is_found(tmp_path: Path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "knowgate.toml").touch()
    assert find_config(None, {}, deep) == tmp_path / "knowgate.toml"
    (deep / "knowgate.toml").touch()
    assert find_config(None, {}, deep) == deep / "knowgate.toml"


def test_a_folder_of_that_name_is_passed_by(tmp_path: Path):
    deep = tmp_path / "a"
    (deep / "knowgate.toml").mkdir(parents=True)
    (tmp_path / "knowgate.toml").touch()
    assert find_config(None, {}, deep) == tmp_path / "knowgate.toml"


def test_none_is_found(tmp_path: Path):
    assert find_config(None, {}, tmp_path) is None


def test_a_named_file_comes_before_the_environment_before_the_search(tmp_path: Path):
    (tmp_path / "knowgate.toml").touch()
    environ = {"KNOWGATE_CONFIG": "env.toml"}
    assert find_config(Path("named.toml"), environ, tmp_path) == tmp_path / "named.toml"
    assert find_config(None, environ, tmp_path) == tmp_path / "env.toml"
    assert find_config(None, {"KNOWGATE_CONFIG": ""}, tmp_path) == tmp_path / "knowgate.toml"
    assert find_config(Path("~/k.toml"), environ, tmp_path) == Path.home() / "k.toml"


def test_a_missing_file(tmp_path: Path):
    error = refused(tmp_path / "no.toml")
    assert error.code == "config_not_found"
    assert "no.toml" in error.message


def test_a_file_below_a_file(tmp_path: Path):
    (tmp_path / "file").touch()
    assert refused(tmp_path / "file" / "knowgate.toml").code == "config_not_found"


def test_a_folder(tmp_path: Path):
    error = refused(tmp_path)
    assert error.code == "config_is_folder"
    assert str(tmp_path / "knowgate.toml") in error.fix


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000], ids=["nul", "long"])
def test_an_impossible_name(tmp_path: Path, name: str):
    assert refused(tmp_path / name).code in ("config_unreadable", "config_not_found")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="only a plain user can be refused a file")
def test_a_file_without_the_right_to_read(tmp_path: Path):
    path = tmp_path / "knowgate.toml"
    path.touch(0o000)
    assert refused(path).code == "config_unreadable"


def test_a_file_that_is_not_text(tmp_path: Path):
    path = tmp_path / "knowgate.toml"
    path.write_bytes(b"a = 1\nb = '\xe4'\n")
    error = refused(path)
    assert error.code == "config_not_utf8"
    assert f"{path}:2:" in error.message


def test_a_huge_file(tmp_path: Path):
    path = tmp_path / "knowgate.toml"
    path.write_bytes(b"#" * 1_000_001)
    assert refused(path).code == "config_too_large"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb =\n", 2),
        ("a = 1\n\na = 2\n", 3),
        ("[a]\n[a]\n", 2),
        ("a = 'x\n", 1),
        ("\r\n\r\nnonsense\r\n", 3),
        ("a = [1,\n2\n\n", 2),
        (f"a = {'9' * 5000}", 1),
    ],
    ids=range(7),
)
def test_syntax_errors_have_their_line(tmp_path: Path, text: str, line: int):
    path = tmp_path / "knowgate.toml"
    path.write_bytes(text.encode())
    error = refused(path)
    assert error.code == "config_syntax"
    assert error.message.startswith(f"{path}:{line}: This is not TOML: ")
    assert "(at " not in error.message


def test_nesting_without_end(tmp_path: Path):
    path = tmp_path / "knowgate.toml"
    path.write_text("a = " + "[" * 50_000, encoding="utf-8")
    assert refused(path).code == "config_syntax"


def test_a_windows_path_in_double_quotes_is_explained(tmp_path: Path):
    path = tmp_path / "knowgate.toml"
    path.write_text('data = "C:\\knowledge"\n', encoding="utf-8")
    assert "single quotes" in refused(path).fix


def test_syntax_errors_do_not_repeat_secrets(tmp_path: Path):
    path = tmp_path / "knowgate.toml"
    for line in ['api_key = "sk-1', "api_key = sk-1", 'api_key = "sk-1" "sk-1"', 'api_key = "sk-1\\k"']:
        path.write_text(line, encoding="utf-8")
        assert "sk-1" not in str(refused(path))


def test_a_byte_order_mark_is_no_error(tmp_path: Path):
    path = tmp_path / "knowgate.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    assert read_config(path).tree == {"a": 1}


def test_dotenv_values_and_their_lines(tmp_path: Path):
    (tmp_path / ".env").write_bytes(
        b"\xef\xbb\xbf# first\r\n\r\nA=1\r\nexport B='two words' # note\r\n\r\n\r\nC=\"x\r\ny\"\r\nA=3\r\nD=\r\n"
    )
    dotenv = read_dotenv(tmp_path)
    assert dotenv.values == {"A": "3", "B": "two words", "C": "x\ny", "D": ""}
    assert dotenv.lines == {"A": 9, "B": 4, "C": 7, "D": 10}
    assert dotenv.problems == ()


def test_no_dotenv(tmp_path: Path):
    assert read_dotenv(tmp_path).values == {}
    (tmp_path / ".env").mkdir()
    assert read_dotenv(tmp_path).values == {}


def test_broken_lines_of_others_in_dotenv_are_passed_by_and_ours_are_not(tmp_path: Path):
    (tmp_path / ".env").write_text("some words\n# KNOWGATE_DATA\nKNOWGATE_DATA\nKNOWGATE_X='\nOK=1\n", encoding="utf-8")
    dotenv = read_dotenv(tmp_path)
    assert dotenv.values == {"OK": "1"}
    assert [problem.where.line for problem in dotenv.problems] == [3, 4]


def test_dotenv_that_is_not_text(tmp_path: Path):
    (tmp_path / ".env").write_text("A=1", encoding="utf-16")
    with pytest.raises(InputError, match=r"UTF-8") as caught:
        read_dotenv(tmp_path)
    assert caught.value.code == "config_not_utf8"
    assert ".env" in caught.value.fix


def test_contents_do_not_show(tmp_path: Path):
    (tmp_path / ".env").write_text("A=sk-1", encoding="utf-8")
    (tmp_path / "knowgate.toml").write_text("a='sk-1'", encoding="utf-8")
    assert "sk-1" not in f"{read_dotenv(tmp_path)} {read_config(tmp_path / 'knowgate.toml')}"

"""A table is added, and all else in the file stays as it was."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.config.add import add_table, place_of, remove_table
from knowgate.errors import InputError


@pytest.mark.parametrize(
    "before", ["", "# mine\ndata = 'x' # here\n", "[search]\nlimit = 3", "[apis.a]\r\nspec='b'\r\n"]
)
def test_what_was_there_stays(tmp_path: Path, before: str):
    file = tmp_path / "knowgate.toml"
    if before:
        file.write_bytes(before.encode())
    add_table(file, ("apis", "shop"), {"spec": "C:\\a b.yaml", "auth": ["one"], "allow_private": True})
    after = file.read_bytes().decode()
    assert after.startswith(before)
    table = tomllib.loads(after)["apis"]["shop"]
    assert table == {"spec": "C:\\a b.yaml", "auth": ["one"], "allow_private": True}


def test_a_file_that_has_no_place_for_it(tmp_path: Path):
    file = tmp_path / "knowgate.toml"
    file.write_text('apis = {a = {spec = "b"}}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        add_table(file, ("apis", "shop"), {"spec": "x"})
    assert "[apis.shop]" in caught.value.fix
    assert file.read_text(encoding="utf-8") == 'apis = {a = {spec = "b"}}\n'


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_value_is_read_as_it_was(tmp_path_factory: pytest.TempPathFactory, value: str):
    file = tmp_path_factory.mktemp("config") / "knowgate.toml"
    add_table(file, ("apis", "a.b c"), {"spec": value})
    assert tomllib.loads(file.read_text(encoding="utf-8")) == {"apis": {"a.b c": {"spec": value}}}


def test_where_a_file_is_begun(tmp_path: Path):
    assert place_of(None, {}, tmp_path) == tmp_path / "knowgate.toml"
    assert place_of(Path("x.toml"), {}, tmp_path) == tmp_path / "x.toml"
    assert place_of(None, {"KNOWGATE_CONFIG": "y.toml"}, tmp_path) == tmp_path / "y.toml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[apis.shop]\nspec = 'x'\n", ""),
        ("data = 'd' # mine\n\n[apis.shop]\nspec = 'x'\n", "data = 'd' # mine\n"),
        (
            "[apis.shop]\r\nspec = 'x'\r\n[apis.shop.more]\r\na = 1\r\n\r\n# of b\r\n[b]\r\nc = 1\r\n",
            "\r\n# of b\r\n[b]\r\nc = 1\r\n",
        ),
        ("a = 1\n\n[apis.'shop'] # here\nspec = 'x'\n\n[apis.b]\nspec = 'y'\n", "a = 1\n\n[apis.b]\nspec = 'y'\n"),
        ('[a]\nb = """\n[apis.no]\n"""\n[apis.shop]\nspec = "x"\n', '[a]\nb = """\n[apis.no]\n"""\n'),
    ],
)
def test_a_table_is_taken_out_and_nothing_else(tmp_path: Path, before: str, after: str):
    file = tmp_path / "knowgate.toml"
    file.write_bytes(before.encode())
    remove_table(file, ("apis", "shop"))
    assert file.read_bytes().decode() == after


@pytest.mark.parametrize(
    "text",
    [
        "apis = {shop = {spec = 'x'}, b = {spec = 'y'}}\n",
        "[apis]\nshop = {spec = 'x'}\n",
        "apis.shop.spec = 'x'\n",
        '[apis.shop]\nspec = """\n[apis.b]\n"""\n',
    ],
)
def test_what_is_no_table_of_its_own_stays(tmp_path: Path, text: str):
    file = tmp_path / "knowgate.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"\[apis.shop\] cannot be taken out"):
        remove_table(file, ("apis", "shop"))
    assert file.read_text(encoding="utf-8") == text


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["", "a = 1\n", "[b]\nc = 1\n"]))
def test_what_was_added_can_be_taken_out(tmp_path_factory: pytest.TempPathFactory, value: str, before: str):
    file = tmp_path_factory.mktemp("config") / "knowgate.toml"
    file.write_text(before, encoding="utf-8")
    add_table(file, ("apis", "shop"), {"spec": value})
    remove_table(file, ("apis", "shop"))
    assert file.read_text(encoding="utf-8") == before

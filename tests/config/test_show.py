from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from knowgate.config.leaves import leaves, named, nodes
from knowgate.config.load import load
from knowgate.config.settings import Chunk, Embedder, Fetch, Ingest, Parse, Server, Settings
from knowgate.config.show import as_toml, describe, refreshed, settings_table

PAGE = Path(__file__).parents[2] / "docs" / "configure.md"


def test_what_is_in_force_with_origin_and_description(tmp_path: Path):
    (tmp_path / "knowgate.toml").write_text("docs = ['a']\n[chunk]\ntokens = 300\n", encoding="utf-8")
    rows = {row.key: row for row in describe(load(environ={"KNOWGATE_PARSE_OCR": "1"}, cwd=tmp_path))}
    assert list(rows) == [leaf.key for leaf in leaves()]
    assert rows["chunk.tokens"].value == "300"
    assert rows["chunk.tokens"].origin == f"{tmp_path / 'knowgate.toml'}:3"
    assert rows["parse.ocr"].value == "true"
    assert rows["parse.ocr"].origin == "env KNOWGATE_PARSE_OCR"
    assert rows["embedder.model"].value == ""
    assert rows["search.limit"].origin == "default"
    assert tomllib.loads(f"x = {rows['docs'].value}") == {"x": [str(tmp_path / "a")]}
    assert all(row.description for row in rows.values())


def test_secrets_are_masked(tmp_path: Path):
    loaded = load(environ={"KNOWGATE_EMBEDDER_API_KEY": "sk-1"}, cwd=tmp_path)
    (row,) = (row for row in describe(loaded) if row.key == "embedder.api_key")
    assert set(row.value) == {'"', "*"}
    assert "sk-1" not in str(describe(loaded)) + as_toml(loaded.settings)


def test_the_example_loads_and_says_the_defaults(tmp_path: Path):
    (tmp_path / "knowgate.toml").write_text(as_toml(Settings()), encoding="utf-8")
    loaded = load(environ={}, cwd=tmp_path)
    assert loaded.settings == Settings()
    assert loaded.origins["search.limit"].kind == "file"


def test_the_example_has_every_setting_and_belongs_to_no_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    text = as_toml(Settings())
    for leaf in leaves():
        assert re.search(rf"^(# )?{leaf.path[-1]} = ", text, re.MULTILINE)
        assert leaf.description in text
    assert str(tmp_path) not in text


def test_the_example_loads_with_every_comment_taken_away(tmp_path: Path):
    text = re.sub(r"^# (\w+ = )", r"\1", as_toml(Settings()), flags=re.MULTILINE)
    # A cluster takes one login.
    text = re.sub(r"^(api_key = .*OPENSEARCH|token = |auth = )", r"# \1", text, flags=re.MULTILINE)
    (tmp_path / "knowgate.toml").write_text(text, encoding="utf-8")
    loaded = load(
        tmp_path / "knowgate.toml",
        environ=dict.fromkeys(("OPENAI_API_KEY", "OPENSEARCH_PASSWORD"), "sk-1"),
        cwd=tmp_path,
    )
    other = {key for key, origin in loaded.origins.items() if origin.kind != "file"}
    assert other == {"store.api_key", "store.token", "store.auth"}


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0$"), min_size=1)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_settings_survive_the_file(tmp_path: Path, data: st.DataObject):
    draw = data.draw
    written = Settings(
        data=tmp_path / draw(st.text("abä'\"~", min_size=1)),
        docs=tuple(tmp_path / name for name in draw(st.lists(st.text("ab'", min_size=1), max_size=2))),
        embedder=Embedder(model=draw(st.none() | words), query_prefix=draw(st.none() | words), api_key=SecretStr("k")),
        parse=Parse(timeout_seconds=draw(st.floats(0.1, 3600)), ocr=draw(st.booleans())),
        chunk=Chunk(tokens=draw(st.integers(32, 2000))),
        fetch=Fetch(allow_hosts=tuple(draw(st.lists(words, max_size=3)))),
        ingest=Ingest(exclude=tuple(draw(st.lists(words, max_size=3)))),
        server=Server(port=draw(st.integers(0, 65535))),
    )
    (tmp_path / "knowgate.toml").write_text(as_toml(written), encoding="utf-8")
    read = load(environ={}, cwd=tmp_path).settings
    assert read.embedder.api_key is None
    embedder = written.embedder.model_copy(update={"api_key": None})
    assert read == written.model_copy(update={"embedder": embedder})


def test_the_table_has_every_setting():
    rows = settings_table().splitlines()[2:]
    assert len(rows) == len(leaves()) + sum(len(table.leaves("NAME")) for table in named())
    assert all(row.count("|") == 5 for row in rows)


def test_the_page_is_not_stale():
    page = PAGE.read_text(encoding="utf-8")
    assert settings_table() in page, "write refreshed(page) of knowgate.config.show into docs/configure.md"
    assert refreshed(page) == page


def test_a_stale_page_is_made_anew():
    page = "before\n<!-- settings -->\nold\n<!-- end of settings -->\nafter\n"
    assert refreshed(page) == f"before\n<!-- settings -->\n{settings_table()}<!-- end of settings -->\nafter\n"


def test_what_the_page_shows_loads(tmp_path: Path):
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL)
    (toml,) = (text for kind, text in blocks if kind == "toml")
    exports, dotenv = (text for kind, text in blocks if kind == "sh")
    (tmp_path / "knowgate.toml").write_text(toml, encoding="utf-8")
    (tmp_path / ".env").write_text(dotenv, encoding="utf-8")
    environ = dict(line.removeprefix("export ").split("=", 1) for line in exports.splitlines())
    kinds = {origin.kind for origin in load(environ=environ, cwd=tmp_path).origins.values()}
    assert kinds == {"default", "file", "dotenv", "env"}


def test_tables_have_a_sentence():
    assert all(node.description.endswith(".") for node in nodes())

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate.config.leaves import leaves
from knowgate.config.load import Loaded, load
from knowgate.config.settings import Settings
from knowgate.config.values import toml_text
from knowgate.errors import InputError


def write(folder: Path, text: str, name: str = "knowgate.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, flags: dict[str, object] | None = None, **environ: str) -> InputError:
    with pytest.raises(InputError) as caught:
        load(flags=flags, environ=environ, cwd=folder)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


def test_nothing_configured(tmp_path: Path):
    loaded = load(environ={}, cwd=tmp_path)
    assert loaded.settings == Settings()
    assert loaded.file is None
    assert {str(origin) for origin in loaded.origins.values()} == {"default"}
    assert set(loaded.origins) == {leaf.key for leaf in leaves()}


def test_the_process_is_asked_when_nothing_is_handed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("KNOWGATE_"):
            monkeypatch.delenv(name)
    write(tmp_path, "[search]\nlimit = 3")
    monkeypatch.setenv("KNOWGATE_SERVER_PORT", "4000")
    loaded = load()
    assert loaded.settings.search.limit == 3
    assert loaded.settings.server.port == 4000


def test_each_source_and_where_it_came_from(tmp_path: Path):
    file = write(tmp_path, "data = 'kb'\n[search]\nlimit = 3\n")
    dotenv = write(tmp_path, "\nKNOWGATE_CHUNK_TOKENS=300\n", ".env")
    loaded = load(flags={"store.sync": "full"}, environ={"KNOWGATE_PARSE_OCR": "yes"}, cwd=tmp_path)
    assert loaded.settings.search.limit == 3
    assert loaded.settings.chunk.tokens == 300
    assert loaded.settings.parse.ocr is True
    assert loaded.settings.store.sync == "full"
    assert loaded.file == file
    texts = {key: str(origin) for key, origin in loaded.origins.items() if origin.kind != "default"}
    assert texts == {
        "data": f"{file}:1",
        "search.limit": f"{file}:3",
        "chunk.tokens": f"{dotenv}:2",
        "parse.ocr": "env KNOWGATE_PARSE_OCR",
        "store.sync": "flag store.sync",
    }


limits = st.none() | st.integers(1, 1000)
excludes = st.none() | st.lists(st.text("abc.*", min_size=1), max_size=3).map(tuple)


@given(*(st.fixed_dictionaries({"search.limit": limits, "ingest.exclude": excludes}) for _ in range(4)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_strongest_source_wins(tmp_path: Path, flags: dict, environ: dict, dotenv: dict, file: dict):
    names = {"search.limit": "KNOWGATE_SEARCH_LIMIT", "ingest.exclude": "KNOWGATE_INGEST_EXCLUDE"}

    def as_env(values: dict) -> dict[str, str]:
        texts = {key: ",".join(value) if isinstance(value, tuple) else str(value) for key, value in values.items()}
        return {names[key]: texts[key] for key, value in values.items() if value is not None}

    write(tmp_path, "".join(f"{name}='{text}'\n" for name, text in as_env(dotenv).items()), ".env")
    write(tmp_path, "".join(f"{key} = {toml_text(value)}\n" for key, value in file.items() if value is not None))
    loaded = load(flags=flags, environ=as_env(environ), cwd=tmp_path)

    for key in names:
        table, name = key.split(".")
        default = getattr(getattr(Settings(), table), name)
        sources = [("flag", flags), ("env", environ), ("dotenv", dotenv), ("file", file), ("default", {key: default})]
        kind, value = next((kind, source[key]) for kind, source in sources if source[key] is not None)
        assert getattr(getattr(loaded.settings, table), name) == value
        assert loaded.origins[key].kind == kind


def test_paths_start_where_they_are_written(tmp_path: Path):
    config = tmp_path / "project"
    cwd = config / "deep" / "er"
    cwd.mkdir(parents=True)
    write(config, "data = './kb'\ndocs = ['../handbook', '~/notes', " + toml_text(tmp_path / "abs") + "]\n")
    loaded = load(environ={}, cwd=cwd)
    assert loaded.settings.data == config / "kb"
    assert loaded.settings.docs == (tmp_path / "handbook", Path.home() / "notes", tmp_path / "abs")
    assert load(environ={"KNOWGATE_DATA": "kb"}, cwd=cwd).settings.data == cwd / "kb"
    assert load(environ={}, flags={"data": Path("kb")}, cwd=cwd).settings.data == cwd / "kb"
    write(config, "KNOWGATE_DATA=from-dotenv", ".env")
    assert load(environ={}, cwd=cwd).settings.data == config / "from-dotenv"


def test_a_named_file_elsewhere_brings_its_own_dotenv(tmp_path: Path):
    cwd, other = tmp_path / "cwd", tmp_path / "other"
    cwd.mkdir()
    other.mkdir()
    write(cwd, "KNOWGATE_SEARCH_LIMIT=1", ".env")
    write(other, "KNOWGATE_SEARCH_LIMIT=2", ".env")
    write(other, "data = 'kb'", "my.toml")
    assert load(environ={}, cwd=cwd).settings.search.limit == 1
    for loaded in (
        load(Path("../other/my.toml"), environ={}, cwd=cwd),
        load(environ={"KNOWGATE_CONFIG": str(other / "my.toml")}, cwd=cwd),
    ):
        assert loaded.settings.search.limit == 2
        assert loaded.settings.data == other / "kb"


def test_secrets_come_from_the_environment_or_dotenv(tmp_path: Path):
    write(tmp_path, "[embedder]\napi_key = '${MY_KEY}'\n")

    def key(loaded: Loaded) -> str:
        assert loaded.settings.embedder.api_key
        assert "sk-" not in repr(loaded)
        return loaded.settings.embedder.api_key.get_secret_value()

    assert key(load(environ={"MY_KEY": "sk-env"}, cwd=tmp_path)) == "sk-env"
    write(tmp_path, "MY_KEY=sk-dotenv", ".env")
    assert key(load(environ={}, cwd=tmp_path)) == "sk-dotenv"
    assert key(load(environ={"MY_KEY": "sk-env"}, cwd=tmp_path)) == "sk-env"
    assert key(load(environ={"KNOWGATE_EMBEDDER_API_KEY": "sk-own"}, cwd=tmp_path)) == "sk-own"


def test_an_unset_or_empty_secret_is_an_error(tmp_path: Path):
    write(tmp_path, "[embedder]\napi_key = 'Bearer ${MY_KEY}'\n")
    for environ in ({}, {"MY_KEY": ""}):
        error = refused(tmp_path, **environ)
        assert error.code == "unset_variable"
        assert "knowgate.toml:2" in error.message
        assert "MY_KEY" in error.message
    assert refused(tmp_path, KNOWGATE_EMBEDDER_API_KEY="").code == "bad_setting"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("[chunk]\ntokens = 31", 2, "chunk.tokens is 31, but must be a whole number from 32 to 2000."),
        ("[chunk]\ntokens = 2001", 2, "chunk.tokens is 2001, but must be a whole number from 32 to 2000."),
        ("[chunk]\ntokens = '200'", 2, 'chunk.tokens is "200", but must be a whole number from 32 to 2000.'),
        ("[chunk]\ntokens = 200.0", 2, "chunk.tokens is 200, but must be a whole number from 32 to 2000."),
        ("[chunk]\ntokens = true", 2, "chunk.tokens is true, but must be a whole number from 32 to 2000."),
        ("parse.timeout_seconds = inf", 1, "parse.timeout_seconds is inf, but must be a number from 0.1 to 3600."),
        ("parse.timeout_seconds = nan", 1, "parse.timeout_seconds is nan, but must be a number from 0.1 to 3600."),
        ("parse.ocr = 1", 1, "parse.ocr is 1, but must be true or false."),
        ("store.sync = 'fast'", 1, 'store.sync is "fast", but must be one of normal, full.'),
        ("docs = 'x'", 1, 'docs is "x", but must be a list, each item a path.'),
        ("docs = [\n'x',\n7,\n'']", 3, "docs, item 2, is 7, but must be a path."),
        ("docs = [\n'x',\n'']", 3, 'docs, item 2, is "", but must be a path.'),
        ("data = ''", 1, 'data is "", but must be a path.'),
        ("data = 1979-05-27", 1, "data is 1979-05-27, but must be a path."),
        ("[data]", 1, "data is a table, but must be a path."),
        ("ingest.exclude = ['']", 1, 'ingest.exclude, item 1, is "", but must be text that is not empty.'),
        ("embedder.api_key = 5", 1, "embedder.api_key must be text that is not empty."),
        ("embedder.base_url = 'host'", 1,
         'embedder.base_url is "host", but must be an http:// or https:// address without user name and password.'),
    ],
)  # fmt: skip
def test_bad_values_are_told_with_line_and_expectation(tmp_path: Path, text: str, line: int, expected: str):
    file = write(tmp_path, text)
    error = refused(tmp_path)
    assert error.code == "bad_setting"
    assert f"{file}:{line}: {expected}" in error.message
    assert "for example" in str(error) or "prints every setting" in error.fix


def test_numbers_may_be_whole_where_fractions_are_allowed(tmp_path: Path):
    write(tmp_path, "parse.timeout_seconds = 5")
    assert load(environ={}, cwd=tmp_path).settings.parse.timeout_seconds == 5


def test_only_the_value_in_force_is_judged(tmp_path: Path):
    write(tmp_path, "[chunk]\ntokens = 5\n[embedder]\napi_key = '${NOPE}'\n")
    loaded = load(flags={"chunk.tokens": 300, "embedder.api_key": "sk-1"}, environ={}, cwd=tmp_path)
    assert loaded.settings.chunk.tokens == 300


def test_all_problems_are_told_at_once_and_in_order(tmp_path: Path):
    file = write(tmp_path, "[chunk]\ntokens = 5\ntokns = 5\n[embedder]\napi_key = '${NOPE}'\n")
    dotenv = write(tmp_path, "KNOWGATE_SEARCH_LIMIT=0", ".env")
    error = refused(tmp_path, flags={"stor.sync": "full"}, KNOWGATE_DAT="x")
    assert error.code == "bad_setting"
    first, *lines = error.message.split("\n")
    assert first == "6 settings are wrong:"
    assert [line.strip().split(": ")[0] for line in lines] == [
        f"{file}:2",
        f"{file}:3",
        f"{file}:5",
        f"{dotenv}:1",
        "env KNOWGATE_DAT",
        "flag stor.sync",
    ]
    assert "Did you mean chunk.tokens?" in error.message
    assert "Did you mean KNOWGATE_DATA?" in error.message


def test_errors_do_not_repeat_secrets(tmp_path: Path):
    write(tmp_path, "[embedder]\napi_key = ['sk-1']\napi_kee = 'sk-1'\nbase_url = 'http://me:sk-1@host'\n")
    error = refused(tmp_path, flags={"embedder.apikey": "sk-1"}, KNOWGATE_EMBEDDER_API_KEE="sk-1")
    assert "sk-1" not in f"{error} {error!r} {error.as_dict()}"


def test_an_address_with_a_password_is_one_problem_and_not_repeated(tmp_path: Path):
    write(tmp_path, "[store]\nurl = ['http://me:sk-1@host']\n")
    for error in (refused(tmp_path), refused(tmp_path, KNOWGATE_STORE_URL="http://me:sk-1@host,http://me:sk-1@there")):
        assert "settings are wrong" not in error.message
        assert "store.url" in error.message
        assert "sk-1" not in f"{error} {error!r} {error.as_dict()}"


def test_an_address_in_the_place_of_a_name_is_not_repeated(tmp_path: Path):
    write(tmp_path, "[store]\n'http://me:sk-1@host' = 1\n")
    assert "sk-1" not in str(refused(tmp_path))


@pytest.mark.parametrize(
    ("login", "said"),
    [
        ("user = 'ann'", "user is set, but password is not"),
        ("password = 'sk-1'", "password is set, but user is not"),
        ("user = 'ann'\npassword = 'sk-1'\napi_key = 'sk-1'", "user, password, api_key are more than one login"),
        ("user = 'ann'\ntoken = 'sk-1'", "user, token are more than one login"),
        ("api_key = 'sk-1'\nauth = 'cluster'", "api_key, auth are more than one login"),
    ],
)
def test_the_store_has_one_whole_login(tmp_path: Path, login: str, said: str):
    file = write(tmp_path, f"[store]\n{login}\n")
    error = refused(tmp_path)
    assert error.code == "bad_setting"
    assert error.message == f"{file}:1: store: {said}."
    assert "sk-1" not in str(error)


def test_a_password_that_is_not_set_is_one_problem(tmp_path: Path):
    write(tmp_path, "[store]\nuser = 'ann'\npassword = '${NOPE}'\n")
    error = refused(tmp_path)
    assert error.code == "unset_variable"
    assert "settings are wrong" not in error.message


def test_undecodable_bytes_in_the_environment(tmp_path: Path):
    error = refused(tmp_path, KNOWGATE_EMBEDDER_MODEL="m\udcff")
    assert error.code == "bad_setting"
    error.message.encode()


def test_a_missing_named_file(tmp_path: Path):
    assert refused(tmp_path, KNOWGATE_CONFIG="no.toml").code == "config_not_found"

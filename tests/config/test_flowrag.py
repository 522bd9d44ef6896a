from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from knowgate.config.flowrag import Flowrag, as_settings, read_flowrag, read_flowrag_schema
from knowgate.config.knowledge import CustomField
from knowgate.config.leaves import leaves
from knowgate.config.load import load
from knowgate.errors import InputError

SEED = {
    "data": "./data",
    "docs": "./content",
    "schema": {
        "entityTypes": ["SERVICE", "DATABASE", "PROTOCOL"],
        "relationTypes": ["USES", "PRODUCES", "CONSUMES"],
    },
    "embedder": {"provider": "local"},
    "extractor": {"provider": "gemini"},
}


def write(folder: Path, value: Any, name: str = "flowrag.config.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2), encoding="utf-8")
    return path


def read(folder: Path, value: Any = None, **environ: str) -> Flowrag:
    if value is not None:
        write(folder, value)
    return read_flowrag(None, environ, folder)


def refused(folder: Path, value: Any, **environ: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(folder, value, **environ)
    return caught.value


def test_without_a_file_there_are_defaults(tmp_path: Path):
    found = read(tmp_path)
    assert (found.file, found.warnings) == (None, ())
    assert found.config.schema_.entity_types == ("SERVICE", "DATABASE", "PROTOCOL", "TEAM", "CONCEPT")
    assert found.config.schema_.relation_types == ("USES", "PRODUCES", "CONSUMES", "OWNS", "DEPENDS_ON")
    assert (found.config.embedder.provider, found.config.extractor.provider) == ("local", "gemini")
    assert (found.config.transport, found.config.port, found.config.auth) == ("stdio", 3000, None)
    assert (found.config.data, found.config.docs) == (tmp_path / "data", None)
    assert found.config.storage.kv is None


def test_a_named_file_that_is_missing_is_told(tmp_path: Path):
    (warning,) = read_flowrag(Path("other.json"), {}, tmp_path).warnings
    assert "other.json: There is no such file" in warning


def test_the_example_of_the_guide(tmp_path: Path):
    found = read(tmp_path, SEED)
    assert found.warnings == ()
    assert found.file == tmp_path / "flowrag.config.json"
    assert found.config.docs == tmp_path / "content"
    assert found.config.schema_.entity_types == ("SERVICE", "DATABASE", "PROTOCOL")


def test_everything_that_can_be_said(tmp_path: Path):
    config = read(
        tmp_path,
        {
            "schema": {
                "documentFields": {"team": {"type": "string", "filterable": True}},
                "entityFields": {"status": {"type": "enum", "values": ["live", "old"], "default": "live"}},
                "relationFields": {"sync": {"type": "string"}},
            },
            "namespace": "acme",
            "embedder": {"provider": "openai", "model": "text-embedding-3-small"},
            "storage": {
                "kv": {"provider": "s3", "bucket": "b", "prefix": "p", "region": "r"},
                "vector": {"provider": "opensearch", "node": "http://localhost:9200", "dimensions": 384},
                "graph": {"provider": "sqlite", "path": "graph.db"},
            },
            "transport": "http",
            "port": 8080,
        },
    ).config
    assert config.schema_.document_fields["team"].filterable
    assert config.schema_.entity_fields["status"].values == ("live", "old")
    assert config.storage.vector
    assert config.storage.vector.dimensions == 384
    assert (config.namespace, config.transport, config.port) == ("acme", "http", 8080)


def test_each_key_of_the_schema_has_its_own_default(tmp_path: Path):
    schema = read(tmp_path, {"schema": {"entityTypes": ["TABLE"]}}).config.schema_
    assert schema.entity_types == ("TABLE",)
    assert schema.relation_types[0] == "USES"


def test_paths_start_at_the_working_directory(tmp_path: Path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "work").mkdir()
    path = write(tmp_path / "conf", SEED)
    assert read_flowrag(path, {}, tmp_path / "work").config.data == tmp_path / "work" / "data"


# What is wrong


@pytest.mark.parametrize(
    ("text", "line"),
    [('{\n  "data": "x",\n}', 3), ("", 1), ("// comment\n{}", 1), ("[]", 1), ("[" * 100_000, 1), ("1" * 5000, 1)],
)
def test_what_is_no_json_is_refused_with_its_line(tmp_path: Path, text: str, line: int):
    error = refused(tmp_path, text)
    assert error.code == "config_syntax"
    assert f"flowrag.config.json:{line}: " in error.message


def test_what_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / "flowrag.config.json").write_bytes(b'{\n"data": "\xff"}')
    error = refused(tmp_path, None)
    assert (error.code, "json:2:" in error.message) == ("config_not_utf8", True)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"port": "3000"}, ":2: port: should be a valid integer."),
        ({"port": 70000}, "port: should be less than or equal to 65535."),
        ({"transport": "tcp"}, "transport: should be 'stdio' or 'http'."),
        ({"schema": {"entityTypes": []}}, ":3: schema.entityTypes: Tuple should have at least 1 item"),
        ({"schema": {"entityTypes": ["A", ""]}}, ":5: schema.entityTypes.1: String should have at least 1 character."),
        ({"schema": {"entityFields": {"x": {"type": "enum"}}}}, "a field of type enum needs values."),
        ({"embedder": {"model": "x"}}, ":2: embedder.provider: is missing."),
        ({"embedder": {"provider": "lokal"}}, "embedder.provider: should be 'local', 'gemini', 'bedrock' or 'openai'."),
        ({"auth": {"token": ""}}, ":3: auth.token: Value should have at least 1 item"),
        ({"auth": {"token": 12345678}}, "auth.token: should be a valid string."),
    ],
)
def test_wrong_values_are_refused_with_their_line(tmp_path: Path, value: Any, said: str):
    error = refused(tmp_path, value)
    assert error.code == "bad_setting"
    assert said in error.message
    assert "12345678" not in str(error)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path):
    error = refused(tmp_path, {"port": "x", "transport": "y"})
    assert "port" in error.message
    assert "transport" in error.message


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"dta": "x"}, ":2: There is no setting dta. Did you mean data?"),
        ({"schema": {"entitytypes": ["A"]}}, ":3: There is no setting schema.entitytypes. Did you mean"),
        ({"entityTypes": ["A"]}, "Did you mean schema.entityTypes?"),
        ({"$schema": "x"}, "Did you mean schema?"),
        ({"comment": "x"}, "There is no setting comment. Remove it, or check its spelling."),
    ],
)
def test_unknown_keys_are_told_and_do_no_harm(tmp_path: Path, value: Any, said: str):
    (warning,) = read(tmp_path, value).warnings
    assert said in warning


# Variables


def token(found: Flowrag) -> str:
    assert found.config.auth
    return found.config.auth.token.get_secret_value()


def test_variables_in_the_token(tmp_path: Path):
    assert token(read(tmp_path, {"auth": {"token": "${A}-${B}"}}, A="1", B="2")) == "1-2"
    assert token(read(tmp_path, {"auth": {"token": "as it is"}})) == "as it is"


@pytest.mark.parametrize("environ", [{}, {"TOKEN": ""}])
def test_an_unset_variable_never_opens_the_door(tmp_path: Path, environ: dict[str, str]):
    error = refused(tmp_path, {"auth": {"token": "${TOKEN}"}}, **environ)
    assert error.code == "unset_variable"
    assert "flowrag.config.json:3: auth.token: ${TOKEN} is" in error.message
    assert "beside flowrag.config.json" in error.fix


def test_dotenv_beside_the_file_then_of_the_working_directory(tmp_path: Path):
    for name in ("conf", "work"):
        (tmp_path / name).mkdir()
    path = write(tmp_path / "conf", {"auth": {"token": "${A}${B}${C}"}})
    (tmp_path / "work/.env").write_text("A=work\nB=work\nC=work\nOPENAI_API_KEY=k\n", encoding="utf-8")
    (tmp_path / "conf/.env").write_text("A=conf\nB=conf\n", encoding="utf-8")
    found = read_flowrag(path, {"A": "env"}, tmp_path / "work")
    assert token(found) == "envconfwork"
    assert found.variables == {"OPENAI_API_KEY": "k"}


def test_secrets_are_not_printed(tmp_path: Path):
    found = read(tmp_path, {"auth": {"token": "s3cret"}}, OPENAI_API_KEY="hush")
    assert "s3cret" not in repr(found)
    assert "hush" not in repr(found)


# The command line's schema


@pytest.mark.parametrize("name", ["flowrag.json", ".flowrag.json"])
def test_the_schema_alone(tmp_path: Path, name: str):
    write(tmp_path, {"entityTypes": ["PERSON"], "typos": 1}, name)
    found = read_flowrag_schema(tmp_path)
    assert found
    schema, (warning,) = found
    assert (schema.entity_types, schema.relation_types) == (("PERSON",), ("RELATES_TO",))
    assert "There is no setting typos." in warning


def test_no_schema_alone(tmp_path: Path):
    assert read_flowrag_schema(tmp_path) is None


# As our settings


@pytest.mark.parametrize(
    ("embedder", "environ", "expected"),
    [
        ({"provider": "local"}, {}, {"provider": "minilm"}),
        ({"provider": "gemini"}, {"GEMINI_API_KEY": "k"}, {"provider": "gemini", "api_key": "k"}),
        ({"provider": "openai", "model": "m"}, {}, {"provider": "openai", "model": "m"}),
        ({"provider": "bedrock"}, {}, {"provider": "bedrock", "region": "us-east-1"}),
        ({"provider": "bedrock"}, {"AWS_REGION": "eu-1"}, {"provider": "bedrock", "region": "eu-1"}),
    ],
)
def test_the_embedder(tmp_path: Path, embedder: Any, environ: dict[str, str], expected: dict[str, str]):
    value = {**SEED, "embedder": embedder, "port": 8080, "extractor": {"provider": "local"}}
    settings, warnings = as_settings(read(tmp_path, value, **environ))
    assert warnings == []
    assert settings == {
        "data": tmp_path / "data",
        "docs": (tmp_path / "content",),
        "server.port": 8080,
        "schema.entity_types": ("SERVICE", "DATABASE", "PROTOCOL"),
        "schema.relation_types": ("USES", "PRODUCES", "CONSUMES"),
        **{f"embedder.{name}": value for name, value in expected.items()},
    }
    assert settings.keys() <= {leaf.key for leaf in leaves()}


def test_what_has_no_counterpart_is_told(tmp_path: Path):
    value = {
        "embedder": {"provider": "local", "model": "Xenova/e5-small-v2"},
        "namespace": "acme",
        "storage": {"kv": {"provider": "redis", "url": "redis://x"}, "graph": {"provider": "sqlite"}},
    }
    settings, warnings = as_settings(read(tmp_path, value))
    assert settings["embedder.provider"] == "minilm"
    assert [warning.split(" ")[0] for warning in warnings] == [
        "embedder.model",
        "namespace",
        "storage.kv",
        "storage.graph",
    ]


def extracting(settings: dict[str, object]) -> dict[str, object]:
    return {key.removeprefix("extract."): value for key, value in settings.items() if key.startswith("extract.")}


def test_the_extractor_needs_its_key_and_its_model(tmp_path: Path):
    value = {**SEED, "extractor": {"provider": "openai", "model": "m"}}
    settings, warnings = as_settings(read(tmp_path, value, OPENAI_API_KEY="k"))
    assert (extracting(settings), warnings) == ({"provider": "openai", "model": "m", "api_key": "k"}, [])
    settings, warnings = as_settings(read(tmp_path, value))
    assert extracting(settings) == {}
    assert "OPENAI_API_KEY" in warnings[0]
    settings, warnings = as_settings(read(tmp_path, SEED, GEMINI_API_KEY="k"))
    assert extracting(settings) == {}
    assert "extractor.model" in warnings[0]
    value = {**SEED, "extractor": {"provider": "bedrock", "model": "m"}}
    assert extracting(as_settings(read(tmp_path, value))[0]) == {
        "provider": "bedrock",
        "model": "m",
        "region": "us-east-1",
    }


def test_custom_fields_become_settings(tmp_path: Path):
    fields = {"status": {"type": "enum", "values": ["live", "old"], "default": "live"}, "team": {"type": "string"}}
    flags, _ = as_settings(
        read(tmp_path, {"schema": {"documentFields": fields, "relationFields": {"via": fields["team"]}}})
    )
    schema = load(flags=flags, environ={}, cwd=tmp_path).settings.schema_
    assert schema.document_fields == {
        "status": CustomField(type="enum", values=("live", "old"), default="live"),
        "team": CustomField(),
    }
    assert list(schema.relation_fields) == ["via"]
    assert schema.entity_fields == {}

"""The agent's files, as our settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowgate.config.load import load
from knowgate.config.mrapids import read_auth, read_mrapids
from knowgate.errors import InputError

CONFIG = """
[server]
host = "127.0.0.1"
port = 3333
max_connections = 10
[defaults]
spec_path = "shop.yaml"
policy_file = ".mrapids/rules.yaml"
env = "production"
auth_profile = "main"
[security]
allow_override_env = false
allow_override_auth = true
redact_patterns = ["password", "key", "iban"]
risk_threshold = 70
[audit]
enabled = true
directory = ".mrapids/trail"
rotation_size_mb = 5
max_files = 3
[performance]
request_timeout = 12
rate_limit = 100
[operation_limits]
"list*" = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".mrapids"
    (folder / "auth").mkdir(parents=True)
    return folder


def profile(folder: Path, name: str, text: str) -> Path:
    file = folder / "auth" / f"{name}.toml"
    file.write_text(f"[profile]\n{text}", encoding="utf-8")
    file.chmod(0o600)
    return file


def test_every_file(folder: Path, tmp_path: Path):
    (folder / "mcp-server.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "rules.yaml").write_text('version: "1.0"\n', encoding="utf-8")
    profile(folder, "a", 'type = "api_key"\nheader = "X-Key"\nkey_env = "A_KEY"')
    profile(folder, "b", 'name = "main"\ntype = "bearer"\ntoken_env = "B_TOKEN"')
    found = read_mrapids(folder)
    settings = load(None, found.settings, environ={}, cwd=tmp_path).settings
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 3333)
    assert settings.apis["api"].spec == str(tmp_path / "shop.yaml")
    assert settings.apis["api"].auth == ("main", "a")
    assert (settings.auth["main"].type, settings.auth["main"].secret_env) == ("bearer", "B_TOKEN")
    assert (settings.auth["a"].header, settings.auth["a"].secret_env) == ("X-Key", "A_KEY")
    assert settings.policy.file == folder / "rules.yaml"
    assert settings.redact.keys == ("iban",)
    assert settings.audit.folder == folder / "trail"
    assert (settings.audit.max_mb, settings.audit.keep) == (5, 3)
    assert settings.fetch.timeout_seconds == 12
    assert settings.limits.rate == "100/minute"
    assert settings.data == folder / "data"
    assert (found.environment, found.auth_profile) == ("production", "main")
    assert (found.may_choose_environment, found.may_choose_profile) == (False, True)
    [unused] = found.warnings
    assert "server.max_connections, security.risk_threshold, operation_limits" in unused


def test_nothing_but_the_description(folder: Path, tmp_path: Path):
    (folder / "api.json").write_text("{}", encoding="utf-8")
    found = read_mrapids(folder)
    settings = load(None, found.settings, environ={}, cwd=tmp_path).settings
    assert settings.apis["api"].spec == str(folder / "api.json")
    assert settings.server.port == 8080
    assert settings.policy.file is None
    assert "writes ask a person" in found.warnings[0]


def test_what_is_misspelt_is_told(folder: Path):
    (folder / "policy.yaml").write_text('version: "1.0"\n', encoding="utf-8")
    (folder / "mcp-server.toml").write_text("[server]\nprot = 1\n", encoding="utf-8")
    [warning] = read_mrapids(folder).warnings
    assert "Did you mean server.port?" in warning


def test_a_profile_that_others_can_read_is_told(folder: Path):
    (folder / "policy.yaml").write_text('version: "1.0"\n', encoding="utf-8")
    profile(folder, "a", 'type = "bearer"\ntoken_env = "T"').chmod(0o644)
    *_, warning = read_mrapids(folder).warnings
    assert "chmod 600" in warning


@pytest.mark.parametrize(
    ("config", "sent", "told"),
    [
        ("", (), ["No credentials are sent, though there are a, b."]),
        ('[defaults]\nauth_profile = "b"', ("b",), []),
        ('[defaults]\nauth_profile = "c"', (), ["there is no profile c"]),
        ("[security]\nallow_override_auth = true", ("a", "b"), []),
        ('[defaults]\nauth_profile = "b"\n[security]\nallow_override_auth = true', ("b", "a"), []),
    ],
)
def test_a_profile_is_for_the_api_only_if_it_is_named(
    folder: Path, tmp_path: Path, config: str, sent: tuple[str, ...], told: list[str]
):
    (folder / "policy.yaml").write_text('version: "1.0"\n', encoding="utf-8")
    (folder / "mcp-server.toml").write_text(config, encoding="utf-8")
    for name in ("a", "b"):
        profile(folder, name, 'type = "bearer"\ntoken_env = "T"')
    found = read_mrapids(folder)
    settings = load(None, found.settings, environ={}, cwd=tmp_path).settings
    assert settings.apis["api"].auth == sent
    assert set(settings.auth) == {"a", "b"}
    for warning, words in zip(found.warnings, told, strict=True):
        assert words in warning


@pytest.mark.parametrize(
    "text",
    ['type = "bearer"\ntoken = "canary"', 'type = "fax"', "", 'type = "bearer\ncanary'],
)
def test_a_profile_that_cannot_be_used(folder: Path, text: str):
    file = profile(folder, "a", text)
    with pytest.raises(InputError) as caught:
        read_auth(file)
    assert "canary" not in str(caught.value)


def test_a_user_from_the_environment(folder: Path, tmp_path: Path):
    profile(folder, "a", 'type = "basic"\nusername_env = "ME"\npassword_env = "PW"')
    found = read_mrapids(folder)
    settings = load(None, found.settings, environ={"ME": "ann"}, cwd=tmp_path).settings
    assert (settings.auth["a"].user, settings.auth["a"].secret_env) == ("ann", "PW")


def test_no_folder(tmp_path: Path):
    with pytest.raises(InputError, match="mrapids-agent init"):
        try:
            read_mrapids(tmp_path / ".mrapids")
        except InputError as error:
            raise InputError(error.code, str(error)) from None

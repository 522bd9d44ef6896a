"""Profiles are read strictly, and hold no secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowgate.apis.credentials.profile import Profile, Source
from knowgate.apis.credentials.read import read_profile, read_profiles
from knowgate.errors import InputError

ORIGIN = "https://api.test"


def read(folder: Path, **table) -> Profile:
    return read_profile("mine", table, folder=folder, origins=[ORIGIN], where="[auth.mine]")


def test_the_files_of_mrapids(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[profile]\nname = "github"\ntype = "bearer"\ntoken_env = "GITHUB_TOKEN"\n')
    (tmp_path / "b.toml").write_text('[profile]\ntype = "api_key"\nheader = "X-API-Key"\nkey_env = "STRIPE_KEY"\n')
    (tmp_path / "c.toml").write_text(
        '[profile]\nname = "old"\ntype = "basic"\nusername_env = "U"\npassword_env = "P"\norigins = ["http://Old.test:80/"]'
    )
    github, stripe, old = read_profiles(tmp_path, origins=["https://API.test:443/v1"])
    assert github == Profile("github", "bearer", (ORIGIN,), secret=Source(env="GITHUB_TOKEN"))
    assert (stripe.name, stripe.place, stripe.key_name, stripe.secret.env) == ("b", "header", "X-API-Key", "STRIPE_KEY")
    assert (old.user_env, old.secret.env, old.origins) == ("U", "P", ("http://old.test",))


def test_no_folder_has_no_profiles(tmp_path: Path) -> None:
    assert read_profiles(tmp_path / "none") == ()


def test_everything_that_can_be_told(tmp_path: Path) -> None:
    profile = read(
        tmp_path,
        type="oauth2-authorization-code",
        operations=["get*"],
        client_id="us",
        client_secret_file="secret",
        client_secret_keyring="api/us",
        client_secret_command=["pass", "api"],
        token_url="https://login.test/token",
        authorization_url="https://login.test/authorize",
        scopes=["read", "write"],
        redirect_port=9999,
    )
    assert profile.type == "oauth2_authorization_code"
    assert profile.secret == Source(file=tmp_path / "secret", keyring="api/us", command=("pass", "api"))
    assert (profile.user, profile.operations, profile.scopes) == ("us", ("get*",), ("read", "write"))
    tls = read(tmp_path, type="mutual_tls", cert_file="/c.pem", key_file="k.pem", ca_file="ca.pem")
    assert (tls.certificate, tls.private_key, tls.authority) == (
        Path("/c.pem"),
        tmp_path / "k.pem",
        tmp_path / "ca.pem",
    )


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"type": "magic"},
        {"type": 7},
        {"type": "bearer"},
        {"type": "bearer", "token_evn": "X"},
        {"type": "bearer", "token_env": 3},
        {"type": "bearer", "token_env": "X", "header": "Y"},
        {"type": "bearer", "token_command": "pass api"},
        {"type": "bearer", "token_env": "X", "origins": "https://api.test"},
        {"type": "bearer", "token_env": "X", "origins": ["api.test"]},
        {"type": "basic", "password_env": "X"},
        {"type": "api_key", "key_env": "X"},
        {"type": "api_key", "key_env": "X", "header": "A", "query": "b"},
        {"type": "api_key", "key_env": "X", "header": "A\nB"},
        {"type": "api_key", "key_env": "X", "header": "A: B"},
        {"type": "oauth2_client_credentials", "client_secret_env": "X", "token_url": "https://a.test"},
        {"type": "oauth2_client_credentials", "client_secret_env": "X", "client_id": "a"},
        {"type": "oauth2_authorization_code", "client_id": "a", "token_url": "https://a.test"},
        {"type": "mutual_tls"},
        {"type": "mutual_tls", "cert_file": "a", "redirect_port": 3},
    ],
)
def test_what_is_wrong_is_refused_with_the_fix(tmp_path: Path, table: dict) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, **table)
    assert caught.value.code in {"bad_profile", "bad_url"}
    assert caught.value.fix


def test_did_you_mean(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean token_env"):
        read(tmp_path, type="bearer", token_evn="X")


@pytest.mark.parametrize(
    "text",
    [
        '[profile]\ntype = "bearer"\ntoken = "canary-secret"\n',
        '[profile]\ntype = "bearer"\ntoken = canary-secret\n',
        'token = "canary-secret"',
        "\xff canary-secret",
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_profiles(tmp_path)
    assert "canary" not in str(caught.value) + str(caught.value.__cause__)

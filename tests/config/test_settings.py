from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from knowgate.config.apis import Api
from knowgate.config.leaves import leaves
from knowgate.config.settings import Embedder, Settings, Store, data_folder


def test_defaults_work_without_anything():
    settings = Settings()
    assert settings.data == data_folder()
    assert settings.data.is_absolute()
    assert settings.embedder.provider == "minilm"
    assert settings.chunk.tokens == 250
    assert settings.server.host == "127.0.0.1"
    assert not settings.fetch.allow_private


def test_defaults_keep_their_own_bounds():
    settings = Settings()
    assert Settings.model_validate(settings.model_dump(), strict=True) == settings


def test_data_folder_does_not_depend_on_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before = data_folder()
    monkeypatch.chdir(tmp_path)
    assert data_folder() == before


def test_settings_cannot_be_changed():
    with pytest.raises(ValidationError):
        Settings().chunk.tokens = 300  # pyright: ignore[reportAttributeAccessIssue]


def test_unknown_names_are_refused():
    with pytest.raises(ValidationError):
        Settings.model_validate({"chunk": {"token": 300}})


def test_secrets_do_not_show():
    settings = Settings(embedder=Embedder(api_key=SecretStr("sk-very-secret")))
    assert "sk-very-secret" not in f"{settings!r} {settings} {settings.model_dump_json()}"


def test_an_empty_secret_is_refused():
    with pytest.raises(ValidationError):
        Embedder(api_key=SecretStr(""))


@pytest.mark.parametrize(
    "address",
    ["localhost:8080", "ftp://host/", "http://", "http://user:pw@host/v1", "https://token@host", "http://a b"],
)
def test_bad_addresses_are_refused(address: str):
    with pytest.raises(ValidationError):
        Embedder(base_url=address)


@pytest.mark.parametrize("place", ["", "https://ann:pw@host/openapi.json", "HTTP://token@host"])
def test_a_description_is_not_fetched_with_a_password_in_its_address(place: str):
    with pytest.raises(ValidationError):
        Api(spec=place)


@pytest.mark.parametrize("place", ["./petstore.yaml", "mail@home/a.yaml", "https://host/a@b.json", "C:\\a\\b.yaml"])
def test_a_description_is_a_path_or_an_address(place: str):
    assert Api(spec=place).spec == place


@pytest.mark.parametrize("address", ["http://localhost:8080/v1", "https://[::1]:8080", "https://host/a@b"])
def test_good_addresses_are_taken(address: str):
    assert Embedder(base_url=address).base_url == address


def test_what_is_wrong_is_not_repeated_to_programs_either():
    for wrong in ({"url": ("http://me:sk-1@host",)}, {"user": "ann", "password": "sk-1", "token": "sk-1"}):
        with pytest.raises(ValidationError) as caught:
            Store(**wrong)
        assert "sk-1" not in str(caught.value)


def test_settings_can_be_sent_to_a_worker_process():
    settings = Settings(embedder=Embedder(api_key=SecretStr("sk-1")))
    assert pickle.loads(pickle.dumps(settings)) == settings


@pytest.mark.parametrize("leaf", leaves(), ids=lambda leaf: leaf.key)
def test_every_setting_has_one_sentence_and_every_number_bounds(leaf):
    assert leaf.description.endswith(".")
    assert leaf.description[0].isupper()
    assert ". " not in leaf.description
    assert "|" not in leaf.description
    if leaf.kind in ("whole", "number"):
        assert " from " in leaf.expected

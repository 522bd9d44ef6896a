"""A cluster behind TLS and a login: who is let in, and what is told to who is not."""

from __future__ import annotations

import os
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.store.conftest import opensearch_address
from tests.store.contract import by_words, document, put
from tests.store.opensearch.proxy import authority, guarded

from knowgate.config.settings import Auth, Settings
from knowgate.config.settings import Store as StoreSettings
from knowgate.errors import InputError, StorageError
from knowgate.rooms import open_store, with_login
from knowgate.store.opensearch.connection import Cluster
from knowgate.store.opensearch.store import OpenSearchStore

SECRET = "correct-horse-battery"
BASIC = f"Basic {b64encode(f'ann:{SECRET}'.encode()).decode()}"


@pytest.fixture
def prefix(tmp_path: Path) -> Iterator[str]:
    address = opensearch_address(tmp_path)
    yield address.prefix
    cluster = Cluster(address)
    cluster.ask("DELETE", f"/{address.prefix}-*", missing_ok=True)
    cluster.close()


@pytest.fixture
def trusted(tmp_path: Path) -> tuple[Path, Path]:
    return authority(tmp_path, "ours")


@pytest.fixture
def url(prefix: str, trusted: tuple[Path, Path]) -> Iterator[str]:
    """Of the cluster, for ann with her password and for two who show something else."""
    behind = os.environ["OPENSEARCH_FOR_TESTS"].split(",")[0]
    logins = {BASIC, f"ApiKey {SECRET}", f"Bearer {SECRET}"}
    with guarded(behind, logins=logins, tls=trusted[1]) as url:
        yield url


@pytest.fixture
def chosen(prefix: str, url: str, trusted: tuple[Path, Path]) -> dict[str, Any]:
    return {"provider": "opensearch", "url": (url,), "prefix": prefix, "ca_file": trusted[0], "replicas": 0}


def refused(settings: StoreSettings, tmp_path: Path) -> StorageError:
    with pytest.raises(StorageError) as caught:
        open_store(settings, tmp_path)
    assert SECRET not in f"{caught.value!r} {caught.value.as_dict()} {caught.value.__cause__!r}"
    assert SECRET not in repr(settings)
    return caught.value


@pytest.mark.parametrize(
    "login", [{"user": "ann", "password": SECRET}, {"api_key": SECRET}, {"token": SECRET}], ids=lambda each: [*each][-1]
)
def test_who_is_known_works_as_usual(chosen: dict[str, Any], login: dict[str, str], tmp_path: Path) -> None:
    store = open_store(StoreSettings(**chosen, **login), tmp_path)
    assert isinstance(store, OpenSearchStore)
    put(store, document("a", "amber"))
    assert by_words(store, "amber") == {"a:0"}
    store.ready()
    assert SECRET not in repr(store._cluster.address)
    store.close()


@pytest.mark.parametrize(
    "login", [{"user": "ann", "password": f"{SECRET}!"}, {"api_key": f"{SECRET}!"}, {"token": f"{SECRET}!"}, {}]
)
def test_who_is_not_known_is_told_so(chosen: dict[str, Any], login: dict[str, str], tmp_path: Path) -> None:
    error = refused(StoreSettings(**chosen, **login), tmp_path)
    assert error.code == "store_login"
    assert "store.password" in error.fix
    assert "store.token" in error.fix


def test_a_certificate_of_somebody_else_is_not_trusted(chosen: dict[str, Any], tmp_path: Path) -> None:
    others = authority(tmp_path, "others")[0]
    for ca_file in (others, None):
        error = refused(StoreSettings(**chosen | {"ca_file": ca_file}, user="ann", password=SECRET), tmp_path)
        assert error.code == "store_tls"
        assert "store.ca_file" in error.fix


def test_an_authority_that_is_not_there(chosen: dict[str, Any], tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.pem"
    error = refused(StoreSettings(**chosen | {"ca_file": nowhere}, user="ann", password=SECRET), tmp_path)
    assert error.code == "store_tls"
    assert "store.ca_file" in error.fix


def test_who_does_not_care_is_let_through(chosen: dict[str, Any], tmp_path: Path) -> None:
    store = open_store(StoreSettings(**chosen | {"ca_file": None}, verify=False, user="ann", password=SECRET), tmp_path)
    store.ready()
    store.close()


PRINTING = (sys.executable, "-c", f"print('{SECRET}')")
PROFILES = {
    "env": {"type": "basic", "user": "ann", "secret_env": "CLUSTER_SECRET"},
    "file": {"type": "bearer", "secret_file": "secret"},
    "command": {"type": "api_key", "header": "Authorization", "secret_command": PRINTING},
}


@pytest.mark.parametrize("source", PROFILES)
def test_a_profile_holds_the_login(
    chosen: dict[str, Any], source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLUSTER_SECRET", SECRET)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    (tmp_path / "secret").chmod(0o600)
    settings = Settings(store=StoreSettings(**chosen, auth="cluster"), auth={"cluster": Auth(**PROFILES[source])})
    store = open_store(with_login(settings), tmp_path)
    store.ready()
    store.close()


def test_a_profile_that_is_none(chosen: dict[str, Any]) -> None:
    for auth in ({}, {"cluster": Auth(type="mutual_tls", cert_file=Path("a"), key_file=Path("b"))}):
        settings = Settings(store=StoreSettings(**chosen, auth="cluster"), auth=auth)
        with pytest.raises(InputError) as caught:
            with_login(settings)
        assert caught.value.code == "bad_store_auth"


def test_a_secret_in_the_settings_is_not_shown() -> None:
    for login in ({"user": "ann", "password": SECRET}, {"api_key": SECRET}, {"token": SECRET}):
        shown = StoreSettings(**login)
        assert SECRET not in f"{shown!r} {shown.model_dump_json()}"

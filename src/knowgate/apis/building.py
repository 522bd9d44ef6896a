"""What APIs need, from the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from knowgate.apis.credentials.profile import Profile, origin_of
from knowgate.apis.credentials.read import SECRETS, read_profile
from knowgate.apis.credentials.secret import sendable
from knowgate.apis.credentials.sources import find_secret, find_user
from knowgate.apis.credentials.wallet import Wallet
from knowgate.apis.opening import Opened, Wanted, open_apis
from knowgate.apis.servers import base_of
from knowgate.config.apis import Api, Auth
from knowgate.config.knowledge import Fetch
from knowgate.config.settings import Settings
from knowgate.errors import InputError
from knowgate.net import NetRules

_BEFORE = "secret_"


def apis_of(settings: Settings, fetch: Callable[[str, NetRules], bytes]) -> Opened:
    wanted = [
        Wanted(name, api.spec, partial(_fetched, fetch, rules_of(api, settings.fetch)), api.overlays)
        for name, api in settings.apis.items()
    ]
    return open_apis(wanted, folder_of(settings))


def folder_of(settings: Settings) -> Path:
    """Where what was made of descriptions, and tokens, are kept."""
    return settings.data / "apis"


def rules_of(api: Api, fetch: Fetch) -> NetRules:
    return NetRules(api.allow_private, fetch.allow_hosts, fetch.max_mb << 20, fetch.timeout_seconds)


def wallet_of(settings: Settings, opened: Opened, environ: Mapping[str, str]) -> Wallet:
    profiles = [_profile(name, auth, _origins(name, settings, opened)) for name, auth in settings.auth.items()]
    private = any(api.allow_private for api in settings.apis.values())
    fetch = settings.fetch
    rules = NetRules(private, fetch.allow_hosts, fetch.max_mb << 20, fetch.timeout_seconds)
    return Wallet(profiles, environ=environ, folder=folder_of(settings) / "tokens", rules=rules)


def login_of(settings: Settings, name: str, environ: Mapping[str, str]) -> dict[str, str | SecretStr]:
    """What a profile holds for the cluster of the store, as its settings call it."""
    auth = settings.auth.get(name)
    if auth is None or auth.type not in ("basic", "bearer", "api_key"):
        raise InputError(
            "bad_store_auth",
            f"store.auth names {name}, which is no profile of the type basic, bearer or api_key.",
            f"Write [auth.{name}] with one of these types, or correct store.auth.",
        )
    profile = _profile(name, auth, [])
    secret = SecretStr(sendable(find_secret(profile, environ), f"The secret of [auth.{name}]").reveal())
    if auth.type == "basic":
        return {"user": find_user(profile, environ), "password": secret}
    return {"token" if auth.type == "bearer" else "api_key": secret}


def _fetched(fetch: Callable[[str, NetRules], bytes], rules: NetRules, url: str) -> bytes:
    return fetch(url, rules)


def _profile(name: str, auth: Auth, origins: list[str]) -> Profile:
    told: dict[str, Any] = auth.model_dump(mode="json", exclude_defaults=True)
    secret = SECRETS[auth.type]
    table = {
        f"{secret}_{key.removeprefix(_BEFORE)}" if key.startswith(_BEFORE) else key: value
        for key, value in told.items()
    }
    return read_profile(name, table, folder=Path(), origins=origins, where=f"[auth.{name}]")


def _origins(profile: str, settings: Settings, opened: Opened) -> list[str]:
    """Of the APIs that name the profile. An operation's own server is not among them: it may be anybody's."""
    origins: list[str] = []
    for name, api in settings.apis.items():
        described = opened.catalogue.apis.get(name)
        if profile in api.auth and described:
            # An API that cannot be called needs no credentials.
            with suppress(InputError):
                origins.append(origin_of(base_of(described, source=described.source, base_url=api.base_url or "")))
    return origins

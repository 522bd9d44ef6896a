"""The agent's settings, in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from knowgate.config.mrapids import Mrapids
from knowgate.config.settings import Settings


def load_settings(mrapids: Mrapids, host: str | None = None, port: int | None = None) -> Settings:
    from knowgate.config.load import load

    stronger = {"server.host": host, "server.port": port}
    given = {name: value for name, value in stronger.items() if value is not None}
    settings = load(None, {**mrapids.settings, **given}).settings
    # A knowgate.toml above the folder says how things are done here, not which APIs the agent has.
    own = {
        "apis": _those_of(settings.apis, mrapids.settings["apis"]),
        "auth": _those_of(settings.auth, mrapids.settings["auth"]),
    }
    return settings.model_copy(update=own)


def _those_of(tables: Mapping[str, object], named: object) -> dict[str, object]:
    return {name: table for name, table in tables.items() if name in cast("Mapping[str, object]", named)}

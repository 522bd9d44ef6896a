"""The agent's settings, in force."""

from __future__ import annotations

from knowgate.config.mrapids import Mrapids
from knowgate.config.settings import Settings


def load_settings(mrapids: Mrapids, host: str | None = None, port: int | None = None) -> Settings:
    from knowgate.config.load import load

    stronger = {"server.host": host, "server.port": port}
    given = {name: value for name, value in stronger.items() if value is not None}
    return load(None, {**mrapids.settings, **given}).settings

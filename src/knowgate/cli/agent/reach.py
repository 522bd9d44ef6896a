"""What would keep the agent's calls from being sent, told before anybody makes one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from knowgate.config.mrapids import API, CONFIG
from knowgate.errors import ForbiddenError, InputError

if TYPE_CHECKING:
    from knowgate.apis.operation import Api
    from knowgate.engine import Engine
    from knowgate.net import NetRules


def unreachable(api: Api, base_url: str, rules: NetRules, folder: Path) -> list[str]:
    """As far as can be told without asking the network."""
    from knowgate.apis.servers import base_of
    from knowgate.net.client import check_url

    file = folder / CONFIG
    try:
        check_url(base_of(api, source=api.source, base_url=base_url), rules)
    except ForbiddenError as error:
        fix = f"If you trust it, set allow_private = true under [security] in {file}"
        return [f"{error.message} Calls are refused. {fix}, then: knowgate config trust {folder}"]
    except InputError as error:
        return [f"{error.message} Calls fail. Set base_url under [defaults] in {file}."]
    return []


def not_ready(engine: Engine, folder: Path) -> list[str]:
    """The same of what is configured, and of the secrets that it names."""
    from knowgate.apis.building import rules_of
    from knowgate.apis.credentials.sources import find_secret

    chosen, described = engine.settings.apis[API], engine.rooms.apis.catalogue.apis.get(API)
    rules = rules_of(chosen, engine.settings.fetch)
    found = unreachable(described, chosen.base_url or "", rules, folder) if described else []
    for name in chosen.auth:
        try:
            find_secret(engine.rooms.wallet.profile(name), os.environ)
        except ForbiddenError as error:
            found.append(f"{error.message} {error.fix}")
    return found

"""`knowgate apis doctor`: what is wrong with the APIs, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.checks import Check
from knowgate.cli.doctor import show
from knowgate.cli.sizes import counted
from knowgate.errors import KnowgateError

if TYPE_CHECKING:
    from knowgate.apis.operation import Quarantined
    from knowgate.engine import Engine
    from knowgate.model import ApiInfo

_FOUND = 7
_PATIENCE_SECONDS = 10.0


def doctor(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Look at descriptions, credentials and servers. Exit code 7 when it finds something."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        infos = engine.apis()
        checks = [check for info in infos for check in _checks(engine, info)]
        described = engine.rooms.apis.catalogue.apis
        overlay = overlay_without([each for api in described.values() for each in api.quarantined])
    if call.json:
        call.screen.answer({"checks": [asdict(check) for check in checks], "overlay": overlay})
    else:
        for check in checks:
            show(call.screen, check)
        if not checks:
            call.screen.note("There are no APIs yet. Add one: knowgate apis add NAME openapi.yaml")
        if overlay:
            call.screen.note("An overlay that takes out what cannot be used, to be named in overlays:")
            typer.echo(overlay)
    raise typer.Exit(_FOUND if any(check.status != "ok" for check in checks) else 0)


def overlay_without(quarantined: list[Quarantined]) -> str:
    """An OpenAPI overlay without these operations; empty when there are none."""
    if not quarantined:
        return ""
    import json

    lines = ["overlay: 1.0.0", "info: {title: Without what cannot be used, version: 1.0.0}", "actions:"]
    for each in quarantined:
        target = f"$.paths[{json.dumps(each.path)}].{each.method.lower()}"
        lines += [f"  # {' '.join(each.reason.split())}", f"  - {{target: {json.dumps(target)}, remove: true}}"]
    return "\n".join(lines)


def _checks(engine: Engine, info: ApiInfo) -> Iterator[Check]:
    name = f"{info.name} description"
    if not info.operations:
        found = " ".join(info.warnings) or "No operation can be used."
        yield Check(name, "wrong", found, f"Look into {info.source}.")
        return
    yield Check(name, "ok", f"{info.title} {info.version}, {counted(info.operations, 'operation')}")
    for each in info.quarantined:
        yield Check(name, "warning", f"Cannot be used: {each}", "Correct the description, or use an overlay.")
    for warning in info.warnings:
        yield Check(name, "warning", warning)
    for id, words in engine.suspicious_operations(info.name).items():
        found = f'{id} reads like orders to an assistant: "{words}"'
        yield Check(name, "warning", found, "Look at its description; an overlay can take it out.")
    yield from _credentials(engine, info.name)
    yield _server(engine, info.name)


def _credentials(engine: Engine, api: str) -> Iterator[Check]:
    name = f"{api} credentials"
    schemes = engine.rooms.apis.catalogue.apis[api].schemes
    profiles = engine.settings.apis[api].auth
    if schemes and not profiles:
        found = f"It knows callers by {', '.join(schemes)}, and no profile is named."
        yield Check(name, "warning", found, f"Add a table [auth.NAME], and auth = [NAME] to [apis.{api}].")
    for profile in profiles:
        if profile not in engine.settings.auth:
            yield Check(name, "wrong", f"There is no profile {profile}.", f"Add a table [auth.{profile}].")
        elif engine.settings.auth[profile].type != "mutual_tls" and not engine.rooms.wallet.secrets_of(profile):
            yield Check(name, "wrong", f"The secret of {profile} is not there.", f"Look into [auth.{profile}].")
        else:
            yield Check(name, "ok", profile)


def _server(engine: Engine, api: str) -> Check:
    from knowgate.apis.servers import base_of
    from knowgate.net import NetRules
    from knowgate.net.client import open_client

    name = f"{api} server"
    settings = engine.settings.apis[api]
    described = engine.rooms.apis.catalogue.apis[api]
    try:
        url = base_of(described, source=described.source, base_url=settings.base_url or "")
        rules = NetRules(settings.allow_private, engine.settings.fetch.allow_hosts, timeout_seconds=_PATIENCE_SECONDS)
        with open_client(rules) as client:
            status = client.head(url).status_code
    except KnowgateError as error:
        # The network's rules know of documents only.
        private = f"If you trust it, set allow_private = true under [apis.{api}]."
        return Check(name, "wrong", error.message, private if error.code == "private_address" else error.fix)
    # Whatever it says to such a question, it is there.
    return Check(name, "ok", f"{url} answers ({status})")

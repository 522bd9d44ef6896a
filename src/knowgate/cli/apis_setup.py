"""`knowgate apis add`: an API is looked at, and written into the configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.apis_accept import tell_of_orders
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.cli.progress import progress
from knowgate.cli.sizes import counted
from knowgate.errors import ConflictError, DocumentError, ForbiddenError, InputError

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.model import ApiInfo

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


def add(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you call it, such as shop.")],
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="Its OpenAPI description: a path or an address.")],
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Where it is called, if not where its server is.")
    ] = None,
    auth: Annotated[
        list[str] | None,
        typer.Option("--auth", metavar="PROFILE", help="Credentials of [auth] that it may use, several times."),
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Call it although its address is private or of this machine.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before credentials are sent to another server.")
    ] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Write an API into knowgate.toml, after a look at what it offers."""
    call = Call.of(ctx, config, data, json)
    from knowgate.config.trust import not_trusted
    from knowgate.engine import Engine

    if not _NAME.fullmatch(name):
        raise InputError("bad_name", f"{name} cannot be an API's name.", "Use letters, digits, - and _.")
    if not spec.startswith(("http://", "https://")):
        spec = str(Path(spec).expanduser().absolute())
    elif not allow_private:
        _check_public(spec, call.load().settings.fetch.allow_hosts, "If you trust it, add --allow-private.")
    values = {"spec": spec, "base_url": base_url, "auth": auth, "allow_private": allow_private or None}
    given = {key: value for key, value in values.items() if value}
    loaded = call.load()
    if loaded.file and loaded.ignored:
        raise not_trusted(loaded.file)
    with Engine(loaded.settings) as now, now.configuring("add_api", {"api": name, **given}):
        if name in loaded.settings.apis:
            fix = f"Choose another name, or change [apis.{name}] in {loaded.file}."
            raise ConflictError("api_exists", f"There is an API {name} already.", fix)
        with Engine(call.load({"apis": {name: given}}).settings) as then:
            info = _looked_at(then, name, spec)
            suspicious = then.suspicious_operations(name)
            tell_of_orders(call, suspicious)
            for profile in auth or ():
                _may_go_there(call, profile, now, then, yes)
            if not allow_private and (private := _private(then, name)):
                info = replace(info, warnings=(*info.warnings, private))
        file = _write(call, loaded.file, name, given)
    # So that operations are found by meaning, too, from the first search on.
    with Engine(call.load().settings) as engine, progress(call.screen) as report:
        engine.index_apis()
        engine.embed_pending(report)
    if call.json:
        call.screen.answer({"api": asdict(info), "file": str(file), "suspicious": suspicious})
        return
    call.screen.show(f"{name}: {info.title} {info.version}, {counted(info.operations, 'operation')}, in {file}")
    for each in (*info.quarantined, *info.warnings):
        call.screen.warn(each)
    call.screen.note(f"See what it can do: {call.command('apis', 'list', name)}")


def _looked_at(then: Engine, name: str, spec: str) -> ApiInfo:
    if refused := then.rooms.apis.refused.get(name):
        raise refused
    info = next(each for each in then.apis() if each.name == name)
    held = name in then.rooms.apis.catalogue.apis and then.held_operations(name)
    if not info.operations and not held:
        said = " ".join((*info.warnings, *info.quarantined)) or "It has no operation."
        raise DocumentError("spec_unusable", f"{spec}: {said}", "Nothing was changed. Correct the description.")
    return info


def _check_public(url: str, allow_hosts: tuple[str, ...], fix: str) -> None:
    """As far as can be told without asking the network."""
    from knowgate.net import NetRules
    from knowgate.net.client import check_url

    try:
        check_url(url, NetRules(allow_hosts=allow_hosts))
    except ForbiddenError as error:
        raise ForbiddenError(error.code, error.message, fix) from error


def _private(then: Engine, name: str) -> str:
    """What to tell somebody whose calls would be refused."""
    from knowgate.apis.servers import base_of

    described = then.rooms.apis.catalogue.apis[name]
    fix = f"Calls are refused; if you trust it, remove {name} and add it with --allow-private."
    try:
        url = base_of(described, source=described.source, base_url=then.settings.apis[name].base_url or "")
        _check_public(url, then.settings.fetch.allow_hosts, fix)
    except ForbiddenError as error:
        return f"{error.message} {error.fix}"
    except InputError:  # It has no server, or one with variables that nobody has set: a call says so.
        return ""
    return ""


def _may_go_there(call: Call, profile: str, now: Engine, then: Engine, yes: bool) -> None:
    """Credentials that are for one server are not sent to another because of a word in a command."""
    if profile not in now.settings.auth:
        call.screen.warn(f"There are no credentials {profile} yet: calls fail until you write [auth.{profile}].")
        return
    known = list(dict.fromkeys(now.rooms.wallet.profile(profile).origins))
    new = [origin for origin in then.rooms.wallet.profile(profile).origins if origin not in known]
    # An API that cannot be opened now, and the store, have their servers, too.
    users = [f"the API {name}" for name, api in now.settings.apis.items() if profile in api.auth]
    users += ["the store"] if now.settings.store.auth == profile else []
    if not new or not (known or users):
        return
    for_whom = ", ".join(known or users)
    call.screen.tell(f"The credentials {profile} are for {for_whom}. Now they would go to {', '.join(new)}, too.")
    with now.configuring("extend_profile", {"profile": profile, "from": known, "to": new}):
        if not yes:
            ask_a_person(f"Send {profile} to {', '.join(new)}?", "Run it in a terminal, or add --yes.")


def _write(call: Call, file: Path | None, name: str, given: Mapping[str, object]) -> Path:
    from knowgate.config.add import add_table, place_of
    from knowgate.config.trust import trust

    file = file or place_of(call.config, os.environ, Path.cwd())
    add_table(file, ("apis", name), given)
    trust(file)
    return file

"""`knowgate keys`: who may call the server, and what for."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.saved_filters import find_filter
from knowgate.cli.screen import one_line, told
from knowgate.cli.sizes import day
from knowgate.errors import InputError
from knowgate.model import Key

app = typer.Typer(help="Make keys for the server, list them, revoke them.")

_DEFAULT_SCOPES = ("read", "write")
_LASTING = re.compile(r"(\d{1,6})([hd])", re.ASCII)
_SECONDS = {"h": 3_600, "d": 86_400}


@app.callback(invoke_without_command=True)
def keys(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand is None:
        list_keys(ctx)


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose key it is, or what for.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="read, write, admin, apis, or read,apis; not set, read and write.",
        ),
    ] = None,
    filter: Annotated[
        str | None,
        typer.Option("--filter", metavar="ID|NAME", help="The key sees nothing outside of this saved filter."),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option("--expires", metavar="WHEN", help="After 12h or 30d, or when the day 2027-01-01 begins."),
    ] = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Make a key and print it, this once.

    --scope may be given several times.
    """
    call = Call.of(ctx, config, data, json)
    now = time.time()
    # An empty text is a mistake, such as a variable that is not set, and must not make the key more powerful.
    expires_at = None if expires is None else read_expiry(expires, now)
    with call.engine() as engine:
        filter_id = None if filter is None else find_filter(engine, filter).id
        scopes = read_scopes(scope) if scope else _DEFAULT_SCOPES
        key, secret = engine.create_key(name, scopes, filter_id=filter_id, expires_at=expires_at)
    if call.json:
        call.screen.answer({"key": _shown(key, now), "secret": secret})
        return
    call.screen.show(secret)
    call.screen.note(
        "Keep it safe: it is not shown again.\n"
        "Send it with every request as the header X-API-Key, or as Authorization: Bearer.\n"
        f"Take it back: {call.command('keys', 'revoke', key.id)}"
    )


@app.command("list")
def list_keys(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """List the keys, newest first."""
    call = Call.of(ctx, config, data, json)
    now = time.time()
    with call.engine() as engine:
        found = engine.keys()
    if call.json:
        call.screen.answer({"keys": [_shown(key, now) for key in found]})
        return
    if not found:
        call.screen.note("There are no keys yet. Make one: knowgate keys create NAME")
        return
    columns = ("id", "name", "prefix", "scopes", "filter", "created", "expires", "state")
    rows = [_row(key, now) for key in found]
    call.screen.table(columns, rows, long=("name",), extra=("prefix", "filter", "created"))


def _row(key: Key, now: float) -> tuple[str, ...]:
    from knowgate.guard.keys import state

    return (
        key.id,
        one_line(key.name),
        key.prefix,
        ", ".join(sorted(key.scopes)),
        key.filter_id or "",
        day(key.created_at),
        day(key.expires_at) if key.expires_at else "never",
        state(key, now),
    )


@app.command()
def revoke(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="ID", help="A key's id, prefix or name.")],
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Take a key back: from now on it opens nothing."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        revoked = engine.revoke_key(key)
    if call.json:
        call.screen.answer({"key": _shown(revoked, time.time())})
    else:
        call.screen.show(f"The key {one_line(revoked.name)} ({revoked.id}) is revoked.")


def read_scopes(given: list[str]) -> list[str]:
    """One to an option, or several with commas between them."""
    return [part.strip() for each in given for part in each.split(",")]


def read_expiry(text: str, now: float) -> float:
    """A length of time from now, or a date in local time."""
    lasting = _LASTING.fullmatch(text)
    if lasting:
        return now + int(lasting[1]) * _SECONDS[lasting[2]]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            "bad_expiry", f"{text!r} is neither a length of time nor a date.", "Write it as 12h, 30d or 2027-01-01."
        ) from error
    try:
        return moment.astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        # At the ends of the calendar there is no local time to speak of.
        return moment.replace(tzinfo=UTC).timestamp()


def _shown(key: Key, now: float) -> dict[str, object]:
    from knowgate.guard.keys import state

    return {**told(key), "scopes": sorted(key.scopes), "state": state(key, now)}

"""`knowgate apis sign-in`: a person signs in with a browser, for an API that wants a person."""

from __future__ import annotations

from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json

_Profile = Annotated[str, typer.Argument(metavar="PROFILE", help="An OAuth2 profile of [auth].")]


def sign_in(
    ctx: typer.Context, profile: _Profile, config: Config = None, data: Data = None, json: Json = False
) -> None:
    """Sign in with a browser for an auth profile; its calls use that from then on."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        engine.sign_in(profile, lambda address: call.screen.note(f"Open this address and allow the access:\n{address}"))
        call.screen.note(f"Signed in: {profile}.")


def sign_out(
    ctx: typer.Context, profile: _Profile, config: Config = None, data: Data = None, json: Json = False
) -> None:
    """Forget what a sign-in brought."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        engine.sign_out(profile)
        call.screen.note(f"Signed out: {profile}.")

"""Who calls: the holder of a key, or the local user while there are no keys."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from knowgate.engine import Engine
from knowgate.errors import AuthError
from knowgate.guard.limits import Limits
from knowgate.model import LOCAL, Principal

_HEADER = APIKeyHeader(name="X-API-Key", auto_error=False, description="A key from `knowgate keys create`.")
_BEARER = HTTPBearer(auto_error=False, description="The same key.")
ApiKey = Annotated[str | None, Depends(_HEADER)]
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


def calling(group: str = "") -> Callable[..., Engine]:
    """The engine for whoever calls, when he may and does not come too often."""

    def caller(request: Request, api_key: ApiKey, bearer: Bearer) -> Engine:
        engine: Engine = request.app.state.engine
        limits: Limits = request.app.state.limits
        try:
            principal = identify(engine, api_key or (bearer.credentials if bearer else ""))
        except AuthError:
            # Guessing is counted as well.
            limits.check("requests", _address(request))
            raise
        request.state.caller = principal.name
        who = _address(request) if principal is LOCAL else principal.id
        # A call of several in one counts as many.
        request.state.count = count = functools.partial(limits.check, "requests", who)
        count()
        if group:
            limits.check(group, who)
        host = request.client.host if request.client else ""
        return engine.acting_for(principal, agent=request.headers.get("user-agent", ""), address=host)

    return caller


def identify(engine: Engine, secret: str) -> Principal:
    keys = engine.rooms.keys
    if secret:
        return keys.authenticate(secret)
    if keys.any() or not engine.rooms.local_only:
        raise AuthError(
            "key_required",
            "An API key is required.",
            "Send one in the header X-API-Key; `knowgate keys create NAME` makes one.",
        )
    return LOCAL


def _address(request: Request) -> str:
    return f"address:{request.client.host if request.client else ''}"


Caller = Annotated[Engine, Depends(calling())]
Chatter = Annotated[Engine, Depends(calling("chat"))]
Bringer = Annotated[Engine, Depends(calling("ingest"))]

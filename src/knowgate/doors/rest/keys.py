"""Keys of the server."""

from __future__ import annotations

from pydantic import AwareDatetime

from knowgate import answers
from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Given
from knowgate.doors.rest.routes import refusals, subject
from knowgate.model import Scope
from knowgate.wire import Done, KeyCreated, KeyList

router = subject("keys")


class NewKey(Given):
    name: str
    scopes: tuple[Scope, ...] = ("read", "write")
    filter_id: str | None = None
    expires_at: AwareDatetime | None = None


@router.post("/keys", status_code=201, responses=refusals(404))
def create(engine: Caller, asked: NewKey) -> KeyCreated:
    """A new key, shown this once. The local user makes the first one; from then on keys are needed."""
    expires_at = asked.expires_at.timestamp() if asked.expires_at else None
    key, secret = engine.create_key(asked.name, asked.scopes, filter_id=asked.filter_id, expires_at=expires_at)
    shown = answers.key(key)
    return KeyCreated(
        True,
        shown.key_id,
        shown.key_prefix,
        shown.name,
        shown.scopes,
        shown.filter_id,
        shown.created_at,
        shown.expires_at,
        api_key=secret,
    )


@router.get("/keys")
def keys(engine: Caller) -> KeyList:
    return KeyList(list(map(answers.key, engine.keys())))


@router.delete("/keys/{key_id}", responses=refusals(404, 409))
def revoke(engine: Caller, key_id: str) -> Done:
    engine.revoke_key(key_id)
    return Done(True, "The key was revoked.")

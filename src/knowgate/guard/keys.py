"""Keys: who may call over the network, and what for."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal, get_args

from knowgate.errors import AuthError, ConflictError, InputError, NotFoundError
from knowgate.model import Key, Principal, Scope
from knowgate.store.port import Batch, Json, Record, Store, scan_all_records

SCOPES: tuple[Scope, ...] = get_args(Scope)
State = Literal["active", "expired", "revoked"]

_KIND, _FAMILY = "key", "family"
_START = "orag_"
_RANDOM_BYTES = 32
_PREFIX = 9
_LONGEST_NAME = 100
_LAST_DAY = 253_402_214_400.0
"""9999-12-31: no calendar can show what comes after it."""
_FRESH_SECONDS = 1.0
"""Another process may make or revoke keys, so what was found is believed no longer than this."""


@dataclass(frozen=True, slots=True)
class Origin:
    family: str
    """The same for a key and all that were made with it, at any remove; empty when nobody wrote it down."""
    made_at: float


class Keys:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._found: tuple[float, bool] | None = None

    def create(
        self,
        name: str,
        scopes: Iterable[str],
        *,
        filter_id: str | None = None,
        expires_at: float | None = None,
        made_by: str = "",
    ) -> tuple[Key, str]:
        """The key, and its secret, which nobody can be told again.

        `made_by` is whoever made it over the network: it is of his family. A person at a terminal begins a new one.
        """
        now = time.time()
        secret = _START + secrets.token_urlsafe(_RANDOM_BYTES)
        key = Key(
            id=secrets.token_hex(6),
            name=_read_name(name),
            prefix=secret[:_PREFIX],
            scopes=_read_scopes(scopes),
            created_at=now,
            filter_id=filter_id,
            expires_at=_read_expiry(expires_at, now),
        )
        value = {**_value(key), _FAMILY: self.origin(made_by).family if made_by else key.id}
        self._store.apply(Batch(records=[Record(_KIND, _digest(secret), value)]))
        self._found = None
        return key, secret

    def origin(self, id: str) -> Origin:
        """Of a principal: where his key came from. Who has no key is his own family, and was always there."""
        for record in scan_all_records(self._store, _KIND):
            if record.value["id"] == id:
                return Origin(record.value.get(_FAMILY, ""), record.value["created_at"])
        return Origin(id, 0.0)

    def authenticate(self, secret: str) -> Principal:
        # Whatever is sent is hashed and looked up once, and the hash says nothing of a secret that is nearly right.
        record = self._store.record(_KIND, _digest(secret))
        if record is None:
            raise AuthError("invalid_key", "The key is not valid.", "Check that all of it was copied, or ask for one.")
        key = _key(record)
        match state(key, time.time()):
            case "revoked":
                raise AuthError("key_revoked", f"The key {key.name!r} was revoked.", "Ask for a new one.")
            case "expired":
                raise AuthError("key_expired", f"The key {key.name!r} has expired.", "Ask for a new one.")
            case "active":
                return Principal(key.id, key.name, key.scopes, key.filter_id)

    def list(self) -> list[Key]:
        """Newest first."""
        return sorted(map(_key, scan_all_records(self._store, _KIND)), key=lambda key: key.created_at, reverse=True)

    def revoke(self, given: str) -> Key:
        """By id, prefix or name. The key is remembered as revoked; revoking it again changes nothing."""
        record = self._find(given)
        if _key(record).revoked_at is None:
            value = {**record.value, "revoked_at": time.time()}
            # Revoking is all that can happen to a key: if somebody was faster, it is done.
            self._store.put_if(Record(_KIND, record.id, value), record.version)
            self._found = None
        return _key(self._store.record(_KIND, record.id) or record)

    def any(self) -> bool:
        """Was there ever a key? Asked at every request. Then keys are needed, also when the last one was revoked."""
        now = time.monotonic()
        found = self._found
        if found is None or now - found[0] > _FRESH_SECONDS:
            self._found = found = now, bool(self._store.scan_records(_KIND, limit=1))
        return found[1]

    def let_somebody_in(self) -> bool:
        """Is there a key that is in force?"""
        return any(state(key, time.time()) == "active" for key in self.list())

    def _find(self, given: str) -> Record:
        keys = [(_key(record), record) for record in scan_all_records(self._store, _KIND)]
        found = [each for each in keys if each[0].id == given]
        found = found or [each for each in keys if given in (each[0].prefix, each[0].name)]
        # A name may be used again after its key was revoked, and then means the new one.
        found = [each for each in found if each[0].revoked_at is None] or found[:1]
        if not found:
            # Not repeated: it may be a secret, pasted in the place of an id.
            raise NotFoundError("key_not_found", "There is no such key.", "List them with `knowgate keys list`.")
        if len(found) > 1:
            ids = ", ".join(key.id for key, _ in found)
            raise ConflictError("ambiguous_key", f"{len(found)} keys are called that: {ids}.", "Name one by its id.")
        return found[0][1]


def state(key: Key, now: float) -> State:
    if key.revoked_at is not None:
        return "revoked"
    return "active" if key.expires_at is None or now < key.expires_at else "expired"


def _digest(secret: str) -> str:
    # A slow hash protects secrets that can be guessed; nobody guesses 256 random bits, and this runs at every request.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _value(key: Key) -> Json:
    return {**asdict(key), "scopes": sorted(key.scopes)}


def _key(record: Record) -> Key:
    value = {name: each for name, each in record.value.items() if name != _FAMILY}
    return Key(scopes=frozenset(value.pop("scopes")), **value)


def _read_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not _is_text(name):
        raise InputError(
            "bad_key_name",
            "A key needs a name.",
            f"Say whose or what for it is, in 1 to {_LONGEST_NAME} characters.",
        )
    return name


def _is_text(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def _read_scopes(given: Iterable[str]) -> frozenset[Scope]:
    wanted = set(given)
    known = frozenset[Scope](scope for scope in SCOPES if scope in wanted)
    unknown = sorted(wanted.difference(known))
    if unknown or not known:
        message = f"There is no scope {unknown[0]!r}." if unknown else "A key without a scope could do nothing."
        raise InputError("bad_scope", message, f"Use some of {', '.join(SCOPES)}.")
    return known


def _read_expiry(expires_at: float | None, now: float) -> float | None:
    if expires_at is not None and not now < expires_at <= _LAST_DAY:
        raise InputError("bad_expiry", "A key cannot expire then.", "Choose a time to come, or none.")
    return expires_at

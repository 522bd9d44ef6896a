from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import AuthError, ConflictError, InputError, NotFoundError
from knowgate.guard import keys as module
from knowgate.guard.keys import Keys, state
from knowgate.model import Key
from knowgate.store.port import Batch, Record
from knowgate.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


@pytest.fixture
def keys(store: SqliteStore) -> Keys:
    return Keys(store)


def refused(call: Callable[[], object]) -> AuthError:
    with pytest.raises(AuthError) as error:
        call()
    return error.value


def test_a_key_lets_its_holder_in(keys: Keys) -> None:
    key, secret = keys.create("  build server ", ["write", "read", "read"], filter_id="f1")
    assert re.fullmatch(r"orag_[A-Za-z0-9_-]{43}", secret)
    assert secret.startswith(key.prefix) and len(key.prefix) == 9
    principal = keys.authenticate(secret)
    assert (principal.id, principal.name, principal.filter_id) == (key.id, "build server", "f1")
    assert principal.scopes == {"read", "write"}


def test_the_secret_is_not_kept(keys: Keys, store: SqliteStore, tmp_path: Path) -> None:
    _, secret = keys.create("a", ["read"])
    assert secret not in orjson.dumps([dict(record.value) for record in store.scan_records("key")]).decode()
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert secret.encode() not in held
    assert secret[len("orag_") :].encode() not in held


def test_who_knows_what_is_stored_is_not_let_in(keys: Keys, store: SqliteStore) -> None:
    keys.create("a", ["read"])
    (record,) = store.scan_records("key")
    for stolen in (record.id, f"orag_{record.id}", record.value["id"], record.value["prefix"]):
        assert refused(lambda stolen=stolen: keys.authenticate(stolen)).code == "invalid_key"


def test_what_is_no_key(keys: Keys) -> None:
    _, secret = keys.create("a", ["read"])
    changed = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    for wrong in ("", " ", "orag_", secret[:-1], secret + "A", changed, secret.upper(), f" {secret}", "\ud800", "\x00"):
        error = refused(lambda wrong=wrong: keys.authenticate(wrong))
        assert error.code == "invalid_key"
        assert error.fix
        assert secret not in str(error)


def test_a_revoked_key_says_so_and_stays_listed(keys: Keys) -> None:
    key, secret = keys.create("a", ["read"])
    revoked = keys.revoke(key.id)
    assert revoked.revoked_at is not None
    assert keys.revoke(key.id) == revoked
    assert keys.list() == [revoked]
    error = refused(lambda: keys.authenticate(secret))
    assert error.code == "key_revoked"
    assert secret not in str(error)


def test_an_expired_key_says_so(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    until = time.time() + 3600
    key, secret = keys.create("a", ["read"], expires_at=until)
    assert keys.authenticate(secret)
    monkeypatch.setattr(module.time, "time", lambda: until)
    assert refused(lambda: keys.authenticate(secret)).code == "key_expired"
    keys.revoke(key.id)
    assert refused(lambda: keys.authenticate(secret)).code == "key_revoked"


def test_another_process_s_revocation_counts_at_once(keys: Keys, tmp_path: Path) -> None:
    key, secret = keys.create("a", ["read"])
    other = SqliteStore(tmp_path)
    Keys(other).revoke(key.id)
    other.close()
    assert refused(lambda: keys.authenticate(secret)).code == "key_revoked"


def test_newest_first(keys: Keys) -> None:
    made = [keys.create(name, ["read"])[0] for name in "abc"]
    assert keys.list() == made[::-1]


@pytest.mark.parametrize("by", ["id", "prefix", "name"])
def test_a_key_is_named_in_three_ways(keys: Keys, by: str) -> None:
    keys.create("other", ["read"])
    key, _ = keys.create("mine", ["read"])
    assert keys.revoke(getattr(key, by)).id == key.id
    assert [each.name for each in keys.list() if each.revoked_at is None] == ["other"]


def test_a_name_that_two_keys_have(keys: Keys) -> None:
    first, _ = keys.create("ci", ["read"])
    second, _ = keys.create("ci", ["read"])
    with pytest.raises(ConflictError) as error:
        keys.revoke("ci")
    assert error.value.code == "ambiguous_key"
    assert first.id in error.value.message
    assert second.id in error.value.message
    keys.revoke(first.id)
    assert keys.revoke("ci").id == second.id
    assert keys.revoke("ci").revoked_at is not None


def test_no_such_key(keys: Keys) -> None:
    _, secret = keys.create("a", ["read"])
    for unknown in ("", "nope", secret):
        with pytest.raises(NotFoundError) as error:
            keys.revoke(unknown)
        assert error.value.code == "key_not_found"
        assert secret not in str(error.value)


def test_is_there_any(keys: Keys) -> None:
    assert not keys.any()
    key, _ = keys.create("a", ["read"])
    assert keys.any()
    assert keys.let_somebody_in()
    keys.revoke(key.id)
    assert keys.any()
    assert not keys.let_somebody_in()


def test_an_expired_key_is_none(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    until = time.time() + 3600
    Keys(store).create("a", ["read"], expires_at=until)
    assert Keys(store).let_somebody_in()
    monkeypatch.setattr(module.time, "time", lambda: until)
    assert not Keys(store).let_somebody_in()


def test_another_process_s_key_is_seen_soon(keys: Keys, tmp_path: Path) -> None:
    assert not keys.any()
    other = SqliteStore(tmp_path)
    Keys(other).create("a", ["read"])
    other.close()
    while not keys.any():
        time.sleep(0.05)


def test_the_store_is_not_asked_every_time(keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FRESH_SECONDS", 3600.0)
    assert not keys.any()
    other = SqliteStore(tmp_path)
    Keys(other).create("a", ["read"])
    other.close()
    assert not keys.any()


@pytest.mark.parametrize("name", ["", " \t", "x" * 101, "\ud800"])
def test_bad_names(keys: Keys, name: str) -> None:
    with pytest.raises(InputError) as error:
        keys.create(name, ["read"])
    assert error.value.code == "bad_key_name"
    assert keys.list() == []


@pytest.mark.parametrize("scopes", [[], ["read", "root"], "read", ["READ"]])
def test_bad_scopes(keys: Keys, scopes: list[str]) -> None:
    with pytest.raises(InputError) as error:
        keys.create("a", scopes)
    assert error.value.code == "bad_scope"
    assert "read, write, admin, apis" in error.value.fix


@pytest.mark.parametrize("expires_at", [0.0, 1.0, -1.0, 1e300, float("inf"), float("nan")])
def test_bad_expiry(keys: Keys, expires_at: float) -> None:
    with pytest.raises(InputError) as error:
        keys.create("a", ["read"], expires_at=expires_at)
    assert error.value.code == "bad_expiry"


moments = st.floats(0, 1e11)


@given(moments, st.none() | moments, st.none() | moments)
def test_state(now: float, expires_at: float | None, revoked_at: float | None) -> None:
    key = Key("i", "n", "p", frozenset({"read"}), 0.0, None, expires_at, revoked_at)
    found = state(key, now)
    assert (found == "revoked") == (revoked_at is not None)
    assert (found == "active") == (revoked_at is None and (expires_at is None or now < expires_at))


def test_keys_that_were_made_with_one_another_are_a_family(keys: Keys) -> None:
    mother, _ = keys.create("mother", ["admin"])
    child, _ = keys.create("child", ["admin"], made_by=mother.id)
    grandchild, _ = keys.create("grandchild", ["read"], made_by=child.id)
    stranger, _ = keys.create("stranger", ["admin"])
    families = [keys.origin(key.id).family for key in (mother, child, grandchild, stranger)]
    assert families == [mother.id, mother.id, mother.id, stranger.id]
    assert keys.origin(child.id).made_at == child.created_at
    assert (keys.origin("local").family, keys.origin("local").made_at) == ("local", 0.0)
    assert keys.list()[0] == stranger


def test_keys_whose_makers_nobody_wrote_down_are_one_family(keys: Keys, store: SqliteStore) -> None:
    old = [keys.create(name, ["admin"])[0] for name in "ab"]
    for record in store.scan_records("key"):
        value = {name: each for name, each in record.value.items() if name != "family"}
        store.apply(Batch(records=[Record("key", record.id, value)]))
    assert keys.origin(old[0].id).family == keys.origin(old[1].id).family
    assert {key.name for key in keys.list()} == {"a", "b"}
